package io.fenceline.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.test.support.AbstractExtensibleLockProviderIntegrationTest;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** ShedLock's published suite, unmodified, on every store. */
@Execution(ExecutionMode.CONCURRENT)
class ShedLockSuiteTest {

    @Execution(ExecutionMode.CONCURRENT)
    abstract static class Suite extends AbstractExtensibleLockProviderIntegrationTest {

        private final Store store;

        Suite(Store store) {
            this.store = store;
        }

        @Override
        protected ExtensibleLockProvider getLockProvider() {
            return FencelineLockProvider.over(store.locks());
        }

        /** The suite sleeps for a lock of some milliseconds to end, and for no longer. */
        @Override
        protected void assertUnlocked(String name) {
            await().atMost(Duration.ofSeconds(1))
                    .until(() -> store.locks().lookup(name).isEmpty());
        }

        @Override
        protected void assertLocked(String name) {
            assertThat(store.locks().lookup(name)).isPresent();
        }
    }

    @Nested
    class Memory extends Suite {
        Memory() {
            super(Store.MEMORY);
        }
    }

    @Nested
    class H2 extends Suite {
        H2() {
            super(Store.H2);
        }
    }

    @Nested
    class Sqlite extends Suite {
        Sqlite() {
            super(Store.SQLITE);
        }
    }

    @Nested
    class PostgreSql extends Suite {
        PostgreSql() {
            super(Store.POSTGRESQL);
        }
    }

    @Nested
    class MariaDb extends Suite {
        MariaDb() {
            super(Store.MARIADB);
        }
    }

    @Nested
    class Redis extends Suite {
        Redis() {
            super(Store.REDIS);
        }
    }
}
