package io.fenceline.shedlock;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.Backends;
import io.fenceline.LockId;
import io.fenceline.Locks;
import io.fenceline.servers.MariaDbServer;
import io.fenceline.servers.PostgresServer;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.util.Map;

/** A store that all tests share. It is started by the first one that needs it, and ends with the JVM. */
enum Store {
    MEMORY {
        @Override
        String uri() {
            return "memory:";
        }
    },
    H2 {
        @Override
        String uri() {
            return "h2:mem:shedlock";
        }
    },
    SQLITE {
        @Override
        String uri() {
            return "sqlite:" + System.getProperty("java.io.tmpdir") + "/fenceline-shedlock-"
                    + LockId.random().text();
        }
    },
    POSTGRESQL {
        @Override
        String uri() {
            return PostgresServer.start(Map.of()).uri();
        }
    },
    MARIADB {
        @Override
        String uri() {
            MariaDbServer.missing().ifPresent(why -> {
                System.err.println("SKIPPED: ShedLock on MariaDB is not shown: " + why);
                assumeTrue(false, why);
            });
            MariaDbServer server = MariaDbServer.start(Map.of());
            return server.uri(server.newDatabase());
        }
    },
    REDIS {
        @Override
        String uri() {
            return RedisServer.start(RedisSettings.inMemory()).uri();
        }
    };

    private volatile Locks locks;

    abstract String uri();

    synchronized Locks locks() {
        if (locks == null) {
            LockBackend backend = Backends.open(uri());
            backend.ability(SchemaControl.class)
                    .ifPresent(
                            SchemaControl
                                    ::installSchema); // on a busy machine tryAcquire may have too little time for it
            locks = Locks.over(backend);
        }
        return locks;
    }
}
