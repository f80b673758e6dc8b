package io.fenceline.http;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.MalformedStampException;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.StaleTokenException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A refusal as RFC 9457 problem details.
 *
 * <table>
 * <caption>Refusals and their statuses</caption>
 * <tr><th>kind</th><th>status</th><th>members</th></tr>
 * <tr><td>stale-token</td><td>412, and 409 for a claim</td><td>resource, lock, presented, highest</td></tr>
 * <tr><td>foreign-lock</td><td>409</td><td>resource, lock, presented, owner</td></tr>
 * <tr><td>missing-token</td><td>428</td><td>resource</td></tr>
 * <tr><td>malformed-stamp</td><td>400</td><td>header, value</td></tr>
 * <tr><td>unnamed-resource</td><td>400</td><td></td></tr>
 * </table>
 *
 * <p>{@code lock} and {@code presented} are the writer's own key and token, {@code highest} is the greatest token that the
 * resource has seen, {@code owner} the lock key that it belongs to. Tokens are strings of 15 digits, because JSON
 * numbers lose precision in some clients. Programs distinguish refusals by the type and can ignore the status.
 *
 * @param kind the end of the type
 * @param status the HTTP status
 * @param detail what happened, as text
 * @param members machine-readable details
 */
public record FenceProblem(String kind, int status, String detail, Map<String, String> members) {

    /** The media type of problem details. */
    public static final String MEDIA_TYPE = "application/problem+json";

    /** Prefix of every type. */
    public static final String TYPE_PREFIX = "tag:fenceline.io,2026:";

    static final String STALE = "stale-token";
    static final String FOREIGN = "foreign-lock";
    static final String MISSING = "missing-token";
    static final String MALFORMED = "malformed-stamp";
    static final String UNNAMED = "unnamed-resource";

    /** Advice of errors without a stamp. */
    static final String REMEDY = "send the headers " + FenceHeaders.LOCK + " and " + FenceHeaders.TOKEN;

    /** Copies the members, in their order. */
    public FenceProblem {
        members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    /**
     * Returns the problem of a refused write.
     *
     * @param refusal what the guard threw
     * @return the problem
     */
    public static FenceProblem of(RefusedWriteException refusal) {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("resource", refusal.resource());
        String detail = String.valueOf(refusal.getMessage());
        if (refusal instanceof StaleTokenException stale) {
            addStamp(members, stale.presented());
            members.put("highest", stale.highest().text());
            return new FenceProblem(STALE, 412, detail, members);
        }
        if (refusal instanceof ForeignTokenException foreign) {
            addStamp(members, foreign.presented());
            members.put("owner", foreign.owner().value());
            return new FenceProblem(FOREIGN, 409, detail, members);
        }
        return new FenceProblem(MISSING, 428, detail, members);
    }

    private static void addStamp(Map<String, String> members, FenceStamp presented) {
        members.put("lock", presented.key().value());
        members.put("presented", presented.token().text());
    }

    /**
     * Returns the problem of a refused claim. A claim has no effect whose precondition could fail, so a stale claim is a
     * conflict.
     *
     * @param refusal what the guard threw
     * @return the problem
     */
    public static FenceProblem ofClaim(RefusedWriteException refusal) {
        FenceProblem problem = of(refusal);
        return problem.status == 412 ? new FenceProblem(STALE, 409, problem.detail, problem.members) : problem;
    }

    /**
     * Returns the problem of a stamp that cannot be read.
     *
     * @param fault what is wrong with it
     * @return the problem
     */
    public static FenceProblem of(MalformedStampException fault) {
        Map<String, String> members = new LinkedHashMap<>();
        members.put("header", fault.header());
        members.put("value", fault.value());
        return new FenceProblem(MALFORMED, 400, String.valueOf(fault.getMessage()), members);
    }

    static FenceProblem unnamed(IllegalArgumentException fault) {
        return new FenceProblem(UNNAMED, 400, "this request names no resource: " + fault.getMessage(), Map.of());
    }

    /**
     * Returns the problem of a failure caused by a refused write; frameworks wrap what handlers throw.
     *
     * @param failure what came out of a handler
     * @return the problem, or empty if no guard refused
     */
    public static Optional<FenceProblem> causedBy(Throwable failure) {
        return refusalBehind(failure).map(FenceProblem::of);
    }

    static Optional<RefusedWriteException> refusalBehind(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof RefusedWriteException refusal) {
                return Optional.of(refusal);
            }
            cause = cause.getCause();
        }
        return Optional.empty();
    }

    /**
     * Returns the type.
     *
     * @return {@link #TYPE_PREFIX} and the kind
     */
    public String type() {
        return TYPE_PREFIX + kind;
    }

    /**
     * Returns a title for the kind.
     *
     * @return the title
     */
    public String title() {
        return switch (kind) {
            case STALE -> "A newer holder has written";
            case FOREIGN -> "The resource belongs to another lock";
            case MISSING -> "A fencing token is required";
            case MALFORMED -> "The fencing token cannot be read";
            default -> "The request names no resource";
        };
    }

    /**
     * Returns the problem as JSON, in ASCII.
     *
     * @return one object
     */
    public String json() {
        return ProblemJson.text(this);
    }

    /**
     * Reads a problem of a Fenceline guard.
     *
     * @param json a response's body
     * @return the problem, or empty if the body is anything else
     */
    public static Optional<FenceProblem> parse(String json) {
        return ProblemJson.parse(json);
    }

    /**
     * Returns the exception that the guard threw.
     *
     * @return a {@link RefusedWriteException} or a {@link MalformedStampException}, or empty if members are missing that it
     *     would need
     */
    public Optional<RuntimeException> exception() {
        return ProblemException.of(this);
    }

    static MissingTokenException missing(String resource) {
        return new MissingTokenException(resource, REMEDY);
    }
}
