package io.fenceline.testkit.sim;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.Succession;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** The simulated lock server: a backend that writes down what it did. */
final class Server {

    private static final String NAME = "server";

    private final LockBackend backend;
    private final ServerUptime uptime;
    private final History history;
    private final Runnable afterGrant;

    /** Creates a server. */
    Server(LockBackend backend, ServerUptime uptime, History history, Runnable afterGrant) {
        this.backend = backend;
        this.uptime = uptime;
        this.history = history;
        this.afterGrant = afterGrant;
    }

    ServerUptime uptime() {
        return uptime;
    }

    Acquisition acquire(int number, AcquireRequest request) {
        Acquisition outcome = backend.acquire(request);
        answered(number, request, outcome, false);
        return outcome;
    }

    private void answered(int number, AcquireRequest request, Acquisition outcome, boolean yielding) {
        String key = request.key().value();
        int lockId = history.numberOf(request.lockId());
        if (outcome instanceof Acquisition.Granted granted) {
            long token = granted.grant().token().value();
            long last = granted.grant().lastToken().value();
            history.add(
                    NAME,
                    new Event.Granted(
                            number, key, lockId, token, last, request.ttl().toNanos()));
            afterGrant.run();
        } else {
            history.add(NAME, new Event.Contended(number, key, lockId, yielding));
        }
    }

    Succession.Turnover succeed(int release, int attempt, LockId last, AcquireRequest next, boolean yielding) {
        Succession succession = backend.ability(Succession.class).orElseThrow();
        Succession.Turnover turnover = succession.succeed(last, next, yielding);
        String key = next.key().value();
        history.add(NAME, new Event.Ended(release, key, history.numberOf(last), turnover.released()));
        answered(attempt, next, turnover.outcome(), yielding && turnover.released());
        return turnover;
    }

    Optional<Instant> extend(int number, LockKey key, LockId lockId, Duration ttl) {
        Optional<Instant> end = backend.extend(key, lockId, ttl);
        int id = history.numberOf(lockId);
        long left = end.isPresent()
                ? backend.lookup(key)
                        .map(LockRecord::remaining)
                        .orElse(Duration.ZERO)
                        .toNanos()
                : 0;
        history.add(NAME, new Event.Extended(number, key.value(), id, ttl.toNanos(), end.isPresent(), left));
        return end;
    }

    boolean release(int number, LockKey key, LockId lockId) {
        boolean released = backend.release(key, lockId);
        history.add(NAME, new Event.Ended(number, key.value(), history.numberOf(lockId), released));
        return released;
    }

    boolean releaseAfter(int number, LockKey key, LockId lockId, Duration rest) {
        boolean kept = backend.releaseAfter(key, lockId, rest);
        history.add(NAME, new Event.Kept(number, key.value(), history.numberOf(lockId), rest.toNanos(), kept));
        return kept;
    }

    Optional<LockRecord> lookup(LockKey key) {
        return backend.lookup(key);
    }

    Optional<LockRecord> lookup(LockId lockId) {
        return backend.lookup(lockId);
    }

    boolean hasSuccession() {
        return backend.ability(Succession.class).isPresent();
    }

    Optional<ReleaseSignals> signals() {
        return backend.ability(ReleaseSignals.class);
    }
}
