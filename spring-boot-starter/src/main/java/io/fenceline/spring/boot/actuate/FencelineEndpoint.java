package io.fenceline.spring.boot.actuate;

import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.election.Election;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.telemetry.KeyView;
import java.security.Principal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The endpoint {@code fenceline}: running leases, leaders and findings about the store; one lock by its key; and the forced release of a
 * lock, for which {@code management.endpoint.fenceline.access} must be {@code unrestricted}. Results are maps, lists and texts.
 */
@Endpoint(id = "fenceline", defaultAccess = Access.READ_ONLY)
final class FencelineEndpoint {

    private static final int LIMIT = 100;

    private static final Pattern LEFT_OUT = Pattern.compile(";|//|/$");
    private static final String AMBIGUOUS =
            "a ';' in a path must be percent-encoded; for a key with an empty part use the fenceline command";
    private static final boolean SERVLET =
            ClassUtils.isPresent("org.springframework.web.context.request.ServletRequestAttributes", null)
                    && ClassUtils.isPresent("jakarta.servlet.http.HttpServletRequest", null);

    private final LockBackend backend;
    private final Locks locks;
    private final KeyView keys;
    private final Set<String> groups;

    FencelineEndpoint(LockBackend backend, Locks locks, KeyView keys, Set<String> groups) {
        this.backend = backend;
        this.locks = locks;
        this.keys = keys;
        this.groups = groups;
    }

    /** Lists running leases whose keys have a prefix, the leaders of this application's groups, and what is wrong with the store. */
    @ReadOperation
    @SuppressWarnings("deprecation") // the annotation that both lines of Spring Boot take for an optional parameter
    Map<String, Object> overview(
            @org.springframework.lang.Nullable String prefix, @org.springframework.lang.Nullable Integer limit) {
        Map<String, Object> result = new LinkedHashMap<>();
        backend.ability(LockCatalog.class)
                .ifPresent(catalog -> result.put(
                        "locks",
                        catalog
                                .list(
                                        prefix == null || prefix.isEmpty()
                                                ? ""
                                                : keyOf(prefix).value(),
                                        limit == null ? LIMIT : Math.max(1, limit))
                                .stream()
                                .map(this::shown)
                                .toList()));
        Map<String, Object> leaders = new LinkedHashMap<>();
        for (String group : groups) {
            Election.leader(locks, group)
                    .ifPresent(leader -> leaders.put(
                            group,
                            Map.of(
                                    "candidate", leader.leader().text(),
                                    "term", leader.term().text())));
        }
        result.put("leaders", leaders);
        backend.ability(SelfDiagnosis.class).ifPresent(store -> result.put("findings", findings(store)));
        return result;
    }

    /** Returns the running lease of a lock, or nothing (404) if it is free. */
    @ReadOperation
    @Nullable
    Map<String, Object> show(@Selector(match = Selector.Match.ALL_REMAINING) String... key) {
        checkPath();
        return backend.lookup(keyOf(key)).map(this::shown).orElse(null);
    }

    /** Ends the running lease of a lock by force, and returns it, or nothing (204) if the lock is free. Its holder is not told. */
    @DeleteOperation
    @Nullable
    Map<String, Object> release(
            SecurityContext security, @Selector(match = Selector.Match.ALL_REMAINING) String... key) {
        checkPath();
        LockCatalog catalog = backend.ability(LockCatalog.class)
                .orElseThrow(() -> new IllegalStateException("this store cannot release a lock by force"));
        return catalog.forceRelease(keyOf(key), operator(security.getPrincipal()))
                .map(this::shown)
                .orElse(null);
    }

    /** Refuses a path of which Spring leaves out a part: the rest is the key of another lock. Known in a servlet only. */
    private static void checkPath() {
        if (SERVLET
                && RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes request
                && LEFT_OUT.matcher(request.getRequest().getRequestURI()).find()) {
            throw new InvalidEndpointRequestException("not the path of a lock", AMBIGUOUS);
        }
    }

    /** A path that is no key is the mistake of the request. */
    private static LockKey keyOf(String... path) {
        try {
            return LockKey.of(String.join("/", path));
        } catch (IllegalArgumentException e) {
            throw new InvalidEndpointRequestException(String.valueOf(e.getMessage()), "no lock key");
        }
    }

    /** The name of a principal can be longer than that of a holder, and have characters that are not allowed there. */
    private static Holder operator(@Nullable Principal principal) {
        if (principal == null) {
            return Holder.of("actuator");
        }
        String name = principal.getName().replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
        String start =
                name.codePoints().limit(100).mapToObj(Character::toString).collect(Collectors.joining());
        return Holder.of(start + " by actuator");
    }

    private Map<String, Object> shown(LockRecord lease) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("key", keys.of(lease.raw().key().value()));
        shown.put("holder", lease.holder().text());
        shown.put("token", lease.token().text());
        shown.put("acquiredAt", lease.acquiredAt().toString());
        shown.put("expiresAt", lease.expiresAt().toString());
        shown.put("remainingMillis", lease.remaining().toMillis());
        return shown;
    }

    private static List<Map<String, String>> findings(SelfDiagnosis store) {
        return store.diagnose().stream()
                .filter(finding -> finding.severity() != SelfDiagnosis.Severity.OK)
                .map(finding -> Map.of(
                        "subject", finding.subject(),
                        "severity", finding.severity().name(),
                        "detail", finding.detail(),
                        "remedy", finding.remedy()))
                .toList();
    }
}
