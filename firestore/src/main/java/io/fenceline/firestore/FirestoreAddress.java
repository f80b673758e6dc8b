package io.fenceline.firestore;

import com.google.api.gax.retrying.RetrySettings;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import io.fenceline.Backends;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.spi.UriParameters;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a store: {@code firestore://PROJECT[/DATABASE][?emulator=HOST:PORT][&prefix=NAME]}, or with {@code
 * layout=syncguard[&locks=NAME][&fences=NAME]} instead of the prefix. Special characters in names are percent-encoded.
 *
 * @param project the project's id
 * @param database the database's id
 * @param emulator host and port of an emulator, or empty for Google's servers
 * @param layout the layout, if named
 */
record FirestoreAddress(String project, String database, Optional<String> emulator, Optional<DocumentLayout> layout) {

    static final String SCHEME = "firestore";

    private static final String DEFAULT_DATABASE = "(default)";

    private static final Pattern FORM = Pattern.compile(
            "firestore://([A-Za-z0-9][A-Za-z0-9.:_-]*)(?:/([A-Za-z0-9()_-]*))?(?:\\?(.*))?", Pattern.CASE_INSENSITIVE);

    private static final Pattern HOST = Pattern.compile("(?:\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):[0-9]{1,5}");

    private static final List<String> PARAMETERS = List.of("emulator", "prefix", "layout", "locks", "fences");

    private static final int ATTEMPTS = 4;
    private static final Duration FIRST_CONTACT = Duration.ofSeconds(10);

    /**
     * Parses an address.
     *
     * @throws IllegalArgumentException if it is malformed; the message names the fix
     */
    static FirestoreAddress parse(String uri) {
        Matcher form = FORM.matcher(uri);
        if (!form.matches()) {
            throw malformed(
                    uri,
                    "write firestore://PROJECT or firestore://PROJECT/DATABASE, then ?emulator=HOST:PORT"
                            + " or ?prefix=NAME where needed");
        }
        Map<String, String> names =
                UriParameters.parse(form.group(3) == null ? "" : form.group(3), reason -> malformed(uri, reason));
        for (String name : names.keySet()) {
            if (!PARAMETERS.contains(name)) {
                throw malformed(uri, UriParameters.unknown(name, PARAMETERS));
            }
        }
        Optional<String> emulator =
                Optional.ofNullable(names.remove("emulator")).map(value -> host(uri, value));
        String database = form.group(2) == null || form.group(2).isEmpty() ? DEFAULT_DATABASE : form.group(2);
        return new FirestoreAddress(form.group(1), database, emulator, layout(uri, names));
    }

    private static Optional<DocumentLayout> layout(String uri, Map<String, String> names) {
        String prefix = names.get("prefix");
        if ("syncguard".equals(names.get("layout")) && prefix == null) {
            return Optional.of(DocumentLayout.syncGuard(
                    names.getOrDefault("locks", SyncGuardCollections.DEFAULT_LOCKS),
                    names.getOrDefault("fences", SyncGuardCollections.DEFAULT_FENCES)));
        }
        if (names.size() > (prefix == null ? 0 : 1)) {
            throw malformed(
                    uri, "locks and fences need layout=syncguard, which is the only layout and takes no prefix");
        }
        return Optional.ofNullable(prefix).map(DocumentLayout::fenceline);
    }

    private static String host(String uri, String value) {
        if (!HOST.matcher(value).matches()) {
            throw malformed(uri, "an emulator is written emulator=HOST:PORT");
        }
        return value;
    }

    private static IllegalArgumentException malformed(String uri, String fix) {
        return new IllegalArgumentException(
                "'" + Backends.withoutPassword(uri) + "' is no address of Firestore: " + fix);
    }

    /** Returns the timeout of the first request, which includes class loading, connecting and authentication. */
    static Duration firstContact(Duration timeout) {
        return timeout.plus(FIRST_CONTACT);
    }

    /**
     * Creates a client whose requests time out and whose listeners reconnect soon after an outage. Sends nothing.
     *
     * @throws io.fenceline.BackendException if there are no credentials
     */
    Firestore client(Duration timeout) {
        Duration limit = firstContact(timeout); // later requests end earlier, by our own timeout
        FirestoreOptions.Builder builder = FirestoreOptions.newBuilder()
                .setProjectId(project)
                .setDatabaseId(database)
                .setRetrySettings(RetrySettings.newBuilder()
                        .setInitialRetryDelayDuration(Duration.ofMillis(50))
                        .setRetryDelayMultiplier(2)
                        .setMaxRetryDelayDuration(Duration.ofSeconds(1))
                        .setInitialRpcTimeoutDuration(limit)
                        .setRpcTimeoutMultiplier(1)
                        .setMaxRpcTimeoutDuration(limit)
                        .setTotalTimeoutDuration(limit)
                        .setMaxAttempts(ATTEMPTS)
                        .build());
        // Given credentials, the client would connect to the real host instead of the emulator.
        emulator.ifPresent(builder::setEmulatorHost);
        try {
            return builder.build().getService();
        } catch (RuntimeException e) {
            throw new FirestoreErrors(toString())
                    .failure(ErrorCode.AUTH_FAILED, Effect.NONE, "cannot create a client: " + e.getMessage(), e);
        }
    }

    /** Returns the address as a URI. */
    @Override
    public String toString() {
        return SCHEME + "://" + project + "/" + database
                + emulator.map(host -> "?emulator=" + host).orElse("");
    }
}
