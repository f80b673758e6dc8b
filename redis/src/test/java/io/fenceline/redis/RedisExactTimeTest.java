package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.redis.link.LettuceLink;
import io.fenceline.redis.link.LettuceStore;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.Succession;
import io.fenceline.spi.Succession.Turnover;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.ExactExpiryContract;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Times to the microsecond: the scripts run on a real server, but read a clock that the test moves by hand. It is far ahead of the
 * server's own, by which Redis forgets idle keys.
 */
class RedisExactTimeTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Nested
    class Expiry extends ExactExpiryContract {
        @Override
        protected BackendFixture newFixture() {
            return new ManualFixture();
        }
    }

    @Nested
    class Places {

        private final ManualFixture fixture = new ManualFixture();
        private final LockBackend backend = fixture.open();

        @Test
        @Tag("L7")
        void areKeptByAskingAgainUntilTheWaiterTimeoutAfterTheLastRequest() {
            LockId holder = LockId.random();
            LockId first = LockId.random();
            LockId second = LockId.random();
            backend.acquire(request(holder, Duration.ZERO));
            queue(first);
            for (int i = 0; i < 5; i++) {
                fixture.passTime(ManualFixture.PLACE.minusMillis(1));
                queue(first);
            }
            queue(second);
            fixture.passTime(ManualFixture.PLACE.minusMillis(1));

            backend.release(KEY, holder);

            assertThat(backend.lookup(KEY).orElseThrow().raw().lockId()).isEqualTo(first);
            fixture.close();
        }

        @Test
        @Tag("L7")
        void areLostAtTheWaiterTimeoutAfterTheLastRequest() {
            LockId holder = LockId.random();
            LockId first = LockId.random();
            LockId second = LockId.random();
            backend.acquire(request(holder, Duration.ZERO));
            queue(first);
            fixture.passTime(Duration.ofMillis(1));
            queue(second);
            fixture.passTime(ManualFixture.PLACE.minusMillis(1));

            backend.release(KEY, holder);

            assertThat(backend.lookup(KEY).orElseThrow().raw().lockId()).isEqualTo(second);
            fixture.close();
        }

        private void queue(LockId lockId) {
            assertThat(((Contended) backend.acquire(request(lockId, Duration.ofMinutes(30)))).queued())
                    .isTrue();
        }

        private AcquireRequest request(LockId lockId, Duration maxWait) {
            return new AcquireRequest(KEY, lockId, Duration.ofHours(1), Holder.of("node"), 1, maxWait);
        }
    }

    /** What a counter that is lost leaves is the clock, so no token of a block may be ahead of it. */
    @Nested
    @Tag("G4")
    class Blocks {

        private final ManualFixture fixture = new ManualFixture();
        private final LockBackend backend = fixture.open();

        @Test
        void endAtTheTimeOfTheGrant() {
            take(1);
            fixture.passTime(steps(1_000));

            assertIsBlock(take(32), fixture.step() - 31, 32);
        }

        @Test
        void takeOnlyWhatTheClockHasPassedSinceTheLastToken() {
            take(1);
            long last = fixture.step();
            fixture.passTime(steps(10));
            assertIsBlock(take(32), last + 1, 10);
            assertIsBlock(take(32), last + 11, 1);
            assertIsBlock(take(1), last + 12, 1);
            fixture.passTime(steps(3));
            assertIsBlock(take(32), last + 13, 1);
        }

        @Test
        void haveOneTokenWhereNoLastTokenIsKnown() {
            assertIsBlock(take(32), fixture.step(), 1);
        }

        @Test
        void areNotRepeatedThoughTheCounterIsLost() {
            long last = 0;
            for (int i = 0; i < 50; i++) {
                fixture.passTime(steps(i));
                take(1);
                fixture.passTime(steps(i * i));
                Grant block = take(1_000);
                assertThat(block.token().value()).isGreaterThan(last);
                last = block.lastToken().value();

                assertThat(server.call("DEL", "fenceline:{invoice:42}")).isEqualTo(1L);
                fixture.passTime(steps(2)); // for the two grants of this round

                Grant after = take(1_000);
                assertThat(after.token().value()).isGreaterThan(last);
                last = after.lastToken().value();
            }
        }

        @Test
        void areCutForWaitersTooAndAreTheSameWhenAskedForAgain() {
            Grant first = take(1, false);
            AcquireRequest waiting = request(32, Duration.ofMinutes(30));
            assertThat(backend.acquire(waiting)).isInstanceOf(Contended.class);
            fixture.passTime(steps(5));

            assertThat(backend.release(KEY, first.lockId())).isTrue();

            Grant block = granted(backend.acquire(waiting));
            assertIsBlock(block, fixture.step() - 4, 5);
            fixture.passTime(steps(100));
            assertThat(granted(backend.acquire(waiting))).isEqualTo(block);
            AcquireRequest next = request(32, Duration.ZERO);
            Turnover turnover = backend.ability(Succession.class).orElseThrow().succeed(block.lockId(), next, false);
            assertIsBlock(granted(turnover.outcome()), fixture.step() - 31, 32);
            assertThat(granted(backend.acquire(next))).isEqualTo(granted(turnover.outcome()));
        }

        private void assertIsBlock(Grant block, long first, int tokens) {
            assertThat(block.token().value()).isEqualTo(first);
            assertThat(block.tokens()).isEqualTo(tokens);
        }

        private Grant take(int tokens) {
            return take(tokens, true);
        }

        private Grant take(int tokens, boolean releases) {
            Grant grant = granted(backend.acquire(request(tokens, Duration.ZERO)));
            assertThat(backend.lookup(KEY).orElseThrow().raw()).isEqualTo(grant);
            if (releases) {
                assertThat(backend.release(KEY, grant.lockId())).isTrue();
            }
            return grant;
        }

        private AcquireRequest request(int tokens, Duration maxWait) {
            return new AcquireRequest(KEY, LockId.random(), Duration.ofHours(1), Holder.of("node"), tokens, maxWait);
        }

        private static Grant granted(Acquisition outcome) {
            assertThat(outcome).isInstanceOf(Granted.class);
            return ((Granted) outcome).grant();
        }

        private static Duration steps(long steps) {
            return Duration.ofNanos(steps * TokenMode.MICROS_PER_STEP * 1_000);
        }
    }

    private static final class ManualFixture implements BackendFixture {

        static final Duration PLACE = Duration.ofSeconds(3);

        private final Queue<LockBackend> open = new ConcurrentLinkedQueue<>();
        private final AtomicLong micros =
                new AtomicLong(Instant.parse("2100-01-01T00:00:00Z").toEpochMilli() * 1_000);

        ManualFixture() {
            server.flush();
        }

        @Override
        public LockBackend open() {
            RedisOptions options = RedisOptions.defaults().withWaiterTimeout(PLACE);
            LettuceStore store = RedisAddress.parse(server.uri(), "").open(options.commandTimeout());
            RedisLink link = LettuceLink.open(store, options.commandTimeout());
            LockBackend backend = new RedisLockBackend(
                    new RewritingLink(link, false, text -> text.replace("redis.call('TIME')", time())),
                    store.errors(),
                    options);
            open.add(backend);
            return backend;
        }

        long step() {
            return micros.get() / TokenMode.MICROS_PER_STEP;
        }

        private String time() {
            long now = micros.get();
            return "{ " + now / 1_000_000 + ", " + now % 1_000_000 + " }";
        }

        @Override
        public TokenMode tokenMode() {
            return TokenMode.CLOCK_FLOOR;
        }

        @Override
        public void passTime(Duration time) {
            micros.addAndGet(time.toNanos() / 1_000);
        }

        @Override
        public void restart() {
            close();
        }

        @Override
        public void close() {
            open.forEach(LockBackend::close);
            open.clear();
        }
    }
}
