package io.fenceline.sqlite;

import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.ClientProcessContract;
import io.fenceline.testkit.ClientProcessFixture;
import io.fenceline.testkit.TurnTakingContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;

/** Processes that are stopped and killed with the store open, and processes that take turns. */
class SqliteClientProcessTest extends ClientProcessContract {

    @Override
    protected ClientProcessFixture newFixture() {
        return new RealTimeFixture();
    }

    @Nested
    class Turns extends TurnTakingContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new RealTimeFixture();
        }
    }

    /** A store on the machine's own clock. */
    private static final class RealTimeFixture implements ClientProcessFixture {

        private final ConcurrentLinkedQueue<LockBackend> open = new ConcurrentLinkedQueue<>();
        private final Path folder;

        RealTimeFixture() {
            try {
                folder = Files.createTempDirectory("fenceline");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String uri() {
            return "sqlite:" + store();
        }

        private Path store() {
            return folder.resolve("locks.db");
        }

        /** The file's write lock is the kernel's, and the kernel waits for a stopped process. */
        @Override
        public boolean stoppedClientsHoldOthersUp() {
            return true;
        }

        @Override
        public LockBackend open() {
            LockBackend backend =
                    SqliteLockBackend.open(store(), SqliteOptions.defaults().withBusyLimit(Duration.ofMillis(500)));
            open.add(backend);
            return backend;
        }

        @Override
        public TokenMode tokenMode() {
            return TokenMode.COUNTER;
        }

        @Override
        public void restart() {
            open.forEach(LockBackend::close);
            open.clear();
        }

        @Override
        public void close() {
            restart();
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
                Files.delete(folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
