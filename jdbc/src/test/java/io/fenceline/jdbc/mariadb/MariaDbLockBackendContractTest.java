package io.fenceline.jdbc.mariadb;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.FairTurnsContract;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.LockCatalogContract;
import io.fenceline.testkit.OutageContract;
import io.fenceline.testkit.OutageFixture;
import io.fenceline.testkit.ServerCrashContract;
import io.fenceline.testkit.WaiterNoticesContract;
import java.time.Duration;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

class MariaDbLockBackendContractTest extends LockBackendContract {

    @Override
    protected BackendFixture newFixture() {
        return new MariaDbFixture();
    }

    @Nested
    class Notices extends WaiterNoticesContract {
        @Override
        protected BackendFixture newFixture() {
            return new MariaDbFixture();
        }
    }

    @Nested
    class FairTurns extends FairTurnsContract {
        @Override
        protected BackendFixture newFixture() {
            return new MariaDbFixture();
        }
    }

    @Nested
    class Catalog extends LockCatalogContract {
        @Override
        protected BackendFixture newFixture() {
            return new MariaDbFixture();
        }
    }

    @Nested
    class Stopped extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return new MariaDbUriFixture();
        }
    }

    @Nested
    class Killed extends ServerCrashContract {
        @Override
        protected OutageFixture newFixture() {
            return new MariaDbFixture();
        }
    }

    /** The server takes connections and answers nobody. {@code -Dfenceline.long=true} shows it. */
    @Nested
    @EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
    class Paused extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return new MariaDbFixture() {
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
