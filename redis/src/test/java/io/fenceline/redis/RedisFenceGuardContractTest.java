package io.fenceline.redis;

import io.fenceline.guard.GenerationClock;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GenerationClockContract;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/** The guard and the clocks on one server that keeps what it acknowledged when it is killed. */
class RedisFenceGuardContractTest {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.durable());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void empty() {
        server.flush();
    }

    @Nested
    class Values extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return fixture(FencesFixture.Values::new);
        }
    }

    @Nested
    class Hashes extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return fixture(FencesFixture.Hashes::new);
        }
    }

    @Nested
    class Clock extends ClockContract {
        Clock() {
            super(TokenMode.CLOCK_FLOOR);
        }
    }

    @Nested
    class CountingClock extends ClockContract {
        CountingClock() {
            super(TokenMode.COUNTER);
        }
    }

    private static GuardFixture fixture(Function<RedisFenceGuard, GuardedData> kind) {
        return new FencesFixture(
                () -> RedisFences.open(server.uri(), RedisOptions.defaults()),
                () -> {
                    server.kill();
                    server.startAgain();
                },
                kind);
    }

    abstract static class ClockContract extends GenerationClockContract {

        private final Queue<RedisFences> open = new ConcurrentLinkedQueue<>();
        private final TokenMode mode;

        ClockContract(TokenMode mode) {
            this.mode = mode;
        }

        @Override
        protected GenerationClock openClock() {
            RedisFences fences =
                    RedisFences.open(server.uri(), RedisOptions.defaults().withTokenMode(mode));
            open.add(fences);
            return fences.clock();
        }

        @AfterEach
        void close() {
            open.forEach(RedisFences::close);
        }
    }
}
