package io.fenceline.testkit;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.Verdict;
import java.util.Optional;

/** A guard that lets everybody in, to see what goes wrong without one. */
public final class NoGuard implements FenceGuard {

    /** Creates a guard that is none. */
    public NoGuard() {}

    /** Does nothing. */
    @Override
    public void claim(String resource, FenceStamp stamp) {}

    /** Accepts. */
    @Override
    public Verdict check(String resource, FenceStamp stamp) {
        return new Verdict.Accepted();
    }

    /** Remembers nothing. */
    @Override
    public Optional<FenceStamp> highest(String resource) {
        return Optional.empty();
    }
}
