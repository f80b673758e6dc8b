package io.fenceline.http;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.MalformedStampException;
import io.fenceline.guard.StaleTokenException;
import java.util.Optional;

/** Converts a problem to the exception that the guard threw. Its members are untrusted and may be missing or invalid. */
final class ProblemException {

    private final FenceProblem problem;

    private ProblemException(FenceProblem problem) {
        this.problem = problem;
    }

    static Optional<RuntimeException> of(FenceProblem problem) {
        try {
            return new ProblemException(problem).exception();
        } catch (IllegalArgumentException invalid) {
            return Optional.empty();
        }
    }

    private Optional<RuntimeException> exception() {
        return switch (problem.kind()) {
            case FenceProblem.STALE ->
                Optional.of(new StaleTokenException(
                        member("resource"), presented(), FencingToken.parse(member("highest"))));
            case FenceProblem.FOREIGN ->
                Optional.of(new ForeignTokenException(member("resource"), presented(), LockKey.of(member("owner"))));
            case FenceProblem.MISSING -> Optional.of(FenceProblem.missing(member("resource")));
            case FenceProblem.MALFORMED ->
                Optional.of(new MalformedStampException(
                        member("header"), member("value"), "was refused by the server: " + problem.detail()));
            default -> Optional.empty();
        };
    }

    private FenceStamp presented() {
        return new FenceStamp(LockKey.of(member("lock")), FencingToken.parse(member("presented")));
    }

    private String member(String name) {
        String value = problem.members().get(name);
        if (value == null) {
            throw new IllegalArgumentException("problem details without the member " + name);
        }
        return value;
    }
}
