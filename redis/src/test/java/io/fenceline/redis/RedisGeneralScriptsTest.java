package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.redis.link.LettuceLink;
import io.fenceline.redis.link.LettuceStore;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract through the general part of the scripts alone, where nothing is decided at once, and in the form for several calls. */
class RedisGeneralScriptsTest extends LockBackendContract {

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Override
    protected BackendFixture newFixture() {
        server.flush();
        return new GeneralFixture();
    }

    private static String withoutShortCut(String script) {
        String general = script.replace("if not (lock[1] and tonumber(lock[2]) > now) and", "if false and")
                .replace("if not lock[3] and", "if false and");
        assertThat(general.equals(script)).isEqualTo(!script.contains("-- The uncontended case"));
        return general;
    }

    private static final class GeneralFixture implements BackendFixture {

        private final Queue<LockBackend> open = new ConcurrentLinkedQueue<>();

        @Override
        public LockBackend open() {
            RedisOptions options = RedisOptions.defaults();
            LettuceStore store = RedisAddress.parse(server.uri(), "").open(options.commandTimeout());
            LettuceLink link = LettuceLink.open(store, options.commandTimeout());
            LockBackend backend = new RedisLockBackend(
                    new RewritingLink(link, true, RedisGeneralScriptsTest::withoutShortCut), store.errors(), options);
            open.add(backend);
            return backend;
        }

        @Override
        public TokenMode tokenMode() {
            return TokenMode.CLOCK_FLOOR;
        }

        @Override
        public boolean loseEverything() {
            close();
            server.flush();
            return true;
        }

        @Override
        public Duration shortTtl() {
            return Duration.ofMillis(250);
        }

        @Override
        public int cycles() {
            return 100;
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
