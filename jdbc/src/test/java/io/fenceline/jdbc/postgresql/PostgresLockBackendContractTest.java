package io.fenceline.jdbc.postgresql;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.OutageContract;
import io.fenceline.testkit.OutageFixture;
import io.fenceline.testkit.ReleaseSignalsContract;
import io.fenceline.testkit.SuccessionContract;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

class PostgresLockBackendContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new PostgresFixture();
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return new PostgresFixture();
        }
    }

    @Nested
    class Signals extends ReleaseSignalsContract {
        @Override
        protected BackendFixture newFixture() {
            return new PostgresFixture();
        }
    }

    /** On the connection that we open ourselves, whose reader can be woken. */
    @Nested
    class SignalsOfAnOpenedStore extends ReleaseSignalsContract {
        @Override
        protected BackendFixture newFixture() {
            return new PostgresUriFixture();
        }
    }

    @Nested
    class Successions extends SuccessionContract {
        @Override
        protected BackendFixture newFixture() {
            return new PostgresFixture();
        }
    }

    @Nested
    class Stopped extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return new PostgresFixture();
        }
    }

    @Nested
    class StoppedWhenOpenedByUri extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return new PostgresUriFixture();
        }
    }

    /** The server takes connections and answers nobody. */
    @Nested
    class Paused extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return new PostgresFixture() {
                @Override
                Duration answerLimit() {
                    return Duration.ofSeconds(1);
                }

                @Override
                public void stopStore() {
                    server().pause();
                }

                @Override
                public void startStore() {
                    server().resume();
                }

                @Override
                public void close() {
                    server().resume();
                    super.close();
                }
            };
        }
    }
}
