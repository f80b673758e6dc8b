package io.fenceline;

import static java.util.Objects.requireNonNull;

import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.LockBackend;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Opens backends by URI with the {@link BackendProvider}s on the class path or module path. */
public final class Backends {

    private static final Pattern PATH_WITH_AT = Pattern.compile("[^:]*:(?:/(?!/)|[~.])[^:]*@[^@]*");

    private static final Pattern PASSWORD_PARAMETER =
            Pattern.compile("([?&][^=&]*(?:pass|pwd|secret)[^=&]*=)[^&]*", Pattern.CASE_INSENSITIVE);

    /** What follows a # is the master's name, while drivers of databases may take it for a part of the password. */
    private static final Pattern SENTINEL_PASSWORD =
            Pattern.compile("(redis.*[?&]sentinelPassword=)[^&#]*(#[^?&#]*)?", Pattern.CASE_INSENSITIVE);

    /** A sharded URI whose stores contain no blank. What follows a stray blank may belong to a password. */
    private static final Pattern SEVERAL =
            Pattern.compile("sharded:[0-9]+(?:\\s+[^\\s=]+=[a-z-]+:\\S+)+", Pattern.CASE_INSENSITIVE);

    private static final Pattern ONE_OF_SEVERAL = Pattern.compile("(\\s[^\\s=]+=)(\\S+)");

    private Backends() {}

    /**
     * Opens the backend that a URI names.
     *
     * @param uri for instance {@code sqlite:/var/lib/app/locks.db} or {@code memory:}
     * @return a backend that the caller closes
     * @throws IllegalArgumentException if no provider knows the scheme, the URI is malformed, or a library is missing
     * @throws io.fenceline.BackendException if the store cannot be reached or used
     */
    public static LockBackend open(String uri) {
        requireNonNull(uri, "uri");
        int colon = uri.indexOf(':');
        if (colon > 0) {
            String scheme = uri.substring(0, colon).toLowerCase(Locale.ROOT);
            for (BackendProvider provider : loader()) { // lazily: later providers need not be loaded
                if (provider.schemes().contains(scheme)) {
                    return open(provider, uri, scheme);
                }
            }
        }
        String scheme = uri.substring(0, Math.max(colon, 0)).toLowerCase(Locale.ROOT);
        String known = providers().stream().map(BackendProvider::usage).sorted().collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
                "no backend for '" + withoutPassword(uri) + "'" + remedy(scheme) + "; known are: " + known);
    }

    private static LockBackend open(BackendProvider provider, String uri, String scheme) {
        try {
            return provider.open(uri);
        } catch (NoClassDefFoundError e) { // a jar that was copied without those that it needs
            throw new IllegalArgumentException(
                    scheme + ": URIs need a class that is missing, " + e.getMessage() + remedy(scheme)
                            + ", with all that they depend on",
                    e);
        }
    }

    /** The modules that open a scheme of ours, for the message when they are missing; empty for other schemes. */
    private static String remedy(String scheme) {
        String modules = switch (scheme) {
            case "sqlite" -> "io.fenceline:fenceline-sqlite and org.xerial:sqlite-jdbc";
            case "postgresql", "postgres" ->
                "io.fenceline:fenceline-jdbc, org.postgresql:postgresql and com.zaxxer:HikariCP";
            case "mariadb", "mysql" ->
                "io.fenceline:fenceline-jdbc, org.mariadb.jdbc:mariadb-java-client and com.zaxxer:HikariCP";
            case "h2" -> "io.fenceline:fenceline-jdbc, com.h2database:h2 and com.zaxxer:HikariCP";
            case "redis", "rediss", "redis-sentinel", "rediss-sentinel", "redis-cluster", "rediss-cluster" ->
                "io.fenceline:fenceline-redis and io.lettuce:lettuce-core";
            case "firestore" -> "io.fenceline:fenceline-firestore and com.google.cloud:google-cloud-firestore";
            default -> "";
        };
        return modules.isEmpty() ? "" : "; add " + modules;
    }

    /**
     * Returns the available providers.
     *
     * @return the providers on the class path or module path
     */
    public static List<BackendProvider> providers() {
        return loader().stream().map(ServiceLoader.Provider::get).collect(Collectors.toList());
    }

    /**
     * Masks the passwords of a URI: replaces the part before an {@code @}, and parameters that are named like passwords, by stars.
     * The URI need not be well-formed. Masks too much rather than too little.
     *
     * @param uri a URI of any scheme
     * @return the masked URI, for messages
     */
    public static String withoutPassword(String uri) {
        String shown = requireNonNull(uri, "uri");
        if (SEVERAL.matcher(uri).matches()) {
            return ONE_OF_SEVERAL
                    .matcher(uri)
                    .replaceAll(store -> Matcher.quoteReplacement(store.group(1) + withoutPassword(store.group(2))));
        }
        int colon = uri.indexOf(':');
        int at = uri.lastIndexOf('@');
        if (colon >= 0 && at > colon && !PATH_WITH_AT.matcher(uri).matches()) {
            int secret = uri.startsWith("//", colon + 1) ? colon + 3 : colon + 1;
            shown = uri.substring(0, Math.min(secret, at)) + "***" + uri.substring(at);
        }
        Matcher ofSentinel = SENTINEL_PASSWORD.matcher(shown);
        return ofSentinel.matches()
                ? ofSentinel.replaceFirst("$1***$2")
                : PASSWORD_PARAMETER.matcher(shown).replaceAll("$1***");
    }

    private static ServiceLoader<BackendProvider> loader() {
        return ServiceLoader.load(BackendProvider.class, Backends.class.getClassLoader());
    }
}
