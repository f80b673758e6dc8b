package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;

/** The words that the contracts' sentences are made of: a backend on an empty store, a key, and short forms of its verbs. */
abstract class ContractVocabulary {

    /** A ttl that does not expire within a test. */
    static final Duration LONG_TTL = Duration.ofMinutes(10);

    static final LockKey KEY = LockKey.of("invoice:42");
    static final LockKey OTHER_KEY = LockKey.of("invoice:43");
    static final Holder HOLDER = Holder.of("node-a:100");
    static final Holder STRANGER = Holder.of("node-b:200");

    private static final int RETRIES = 50;

    LockBackend backend;

    /** Returns the fixture of the running test. */
    abstract BackendFixture fixture();

    @BeforeEach
    final void openBackend() {
        backend = fixture().open();
    }

    final Duration shortTtl() {
        return fixture().shortTtl();
    }

    static AcquireRequest request(LockKey key, LockId lockId, Duration ttl) {
        return AcquireRequest.of(key, lockId, ttl, HOLDER);
    }

    /** Asks for at most so many tokens. */
    static AcquireRequest blockRequest(LockKey key, LockId lockId, int tokens) {
        return new AcquireRequest(key, lockId, LONG_TTL, HOLDER, tokens, Duration.ZERO);
    }

    /** Checks the size of a block: a counter gives all the tokens that were asked for, a clock may give fewer. */
    final void assertIsABlockOf(int tokens, Grant block) {
        assertThat(block.tokens()).isBetween(fixture().tokenMode() == TokenMode.COUNTER ? tokens : 1, tokens);
    }

    static Grant granted(Acquisition acquisition) {
        assertThat(acquisition).isInstanceOf(Granted.class);
        return ((Granted) acquisition).grant();
    }

    static Contended refused(Acquisition acquisition) {
        assertThat(acquisition).isInstanceOf(Contended.class);
        return (Contended) acquisition;
    }

    /** Takes a lock that must be free, for longer than the test. */
    final Grant take(LockKey key) {
        return take(key, LONG_TTL);
    }

    final Grant take(LockKey key, Duration ttl) {
        return granted(backend.acquire(request(key, LockId.random(), ttl)));
    }

    /** Asks for a lock that must be taken. */
    final Contended isRefused(LockKey key) {
        return refused(backend.acquire(AcquireRequest.of(key, LockId.random(), LONG_TTL, STRANGER)));
    }

    final boolean release(Grant grant) {
        return backend.release(grant.key(), grant.lockId());
    }

    final boolean extend(Grant grant, Duration ttl) {
        return backend.extend(grant.key(), grant.lockId(), ttl).isPresent();
    }

    /** A cycle that leaves the lock free. */
    final Grant takeAndRelease(LockKey key) {
        Grant grant = take(key);
        assertThat(release(grant)).isTrue();
        return grant;
    }

    final Grant takeAndLetExpire(LockKey key) {
        Grant grant = take(key, shortTtl());
        letExpire();
        return grant;
    }

    /** Waits until a lease of {@link #shortTtl()} that was granted before is over. */
    final void letExpire() {
        letExpire(shortTtl());
    }

    final void letExpire(Duration ttl) {
        fixture().passTime(counted(ttl).plusMillis(20));
    }

    /**
     * Runs a test that needs a lease to be still running after a part of its ttl. If it fails, it is run again with a
     * lease that is ten times as long, since the machine may have stood still for the first one.
     */
    final void whileItRuns(BiConsumer<LockKey, Duration> test) {
        try {
            test.accept(KEY, shortTtl());
        } catch (AssertionError perhapsStoodStill) {
            test.accept(OTHER_KEY, shortTtl().multipliedBy(10));
        }
    }

    /** Returns for how long a lease of a ttl keeps others out. */
    final Duration counted(Duration ttl) {
        return ttl.plus(fixture().grace());
    }

    /** Returns a grant as a lookup returns it. */
    final Grant asStored(Grant grant) {
        Holder holder =
                fixture().keepsHolder() ? grant.holder() : record(grant.key()).holder();
        return new Grant(
                grant.key(),
                grant.lockId(),
                holder,
                grant.token(),
                grant.tokens(),
                grant.acquiredAt(),
                grant.expiresAt());
    }

    final LockRecord record(LockKey key) {
        return backend.lookup(key).orElseThrow(() -> new AssertionError("no lease of " + key));
    }

    final void assertHeldBy(Grant grant) {
        Grant stored = record(grant.key()).raw();
        assertThat(stored.lockId()).isEqualTo(grant.lockId());
        assertThat(stored.token()).isEqualTo(grant.token());
    }

    final void assertFree(LockKey key) {
        assertThat(backend.isLocked(key)).isFalse();
        assertThat(backend.lookup(key)).isEmpty();
    }

    /**
     * Repeats a call for as long as it fails for a while only: a driver may need a few failing calls to notice that its
     * connections are dead.
     */
    final <T> T retrying(Supplier<T> call) {
        for (int i = 1; i < RETRIES; i++) {
            try {
                return call.get();
            } catch (BackendException stillAway) {
                assertThat(stillAway.code().isTransient())
                        .as("transient: " + stillAway.getMessage())
                        .isTrue();
                fixture().passTime(Duration.ofMillis(100));
            }
        }
        return call.get();
    }
}
