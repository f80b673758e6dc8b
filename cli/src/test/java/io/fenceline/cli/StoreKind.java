package io.fenceline.cli;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.servers.MariaDbServer;
import io.fenceline.servers.PostgresServer;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import java.nio.file.Path;
import java.util.Map;

/** The kinds of stores that the command is tested on. A server is started once for all tests, and ends with this JVM. */
enum StoreKind {
    SQLITE {
        @Override
        TestStore open(Path folder) {
            return TestStore.in(folder);
        }
    },
    POSTGRESQL {
        @Override
        TestStore open(Path folder) {
            return TestStore.at(Postgres.newDatabase(Postgres.SERVER.port()), StoreKind::isSocket);
        }
    },
    MARIADB {
        @Override
        TestStore open(Path folder) {
            MariaDbServer.missing().ifPresent(why -> assumeTrue(false, why));
            return TestStore.at(MariaDb.newDatabase(), StoreKind::isSocket);
        }
    },
    REDIS {
        @Override
        TestStore open(Path folder) {
            Redis.SERVER.flush();
            return TestStore.at("redis://:" + PASSWORD + "@127.0.0.1:" + Redis.SERVER.port(), StoreKind::isSocket);
        }
    };

    /** What no command may print. */
    static final String PASSWORD = "s3cr%21t";

    static final String PASSWORD_DECODED = "s3cr!t";

    /** Opens an empty store. */
    abstract TestStore open(Path folder);

    private static boolean isSocket(String descriptor) {
        return descriptor.startsWith("socket:");
    }

    /** Started by the first test that needs it. */
    private static final class Postgres {

        static final PostgresServer SERVER = PostgresServer.start(Map.of());

        static {
            SERVER.execute("postgres", "CREATE ROLE app LOGIN PASSWORD '" + PASSWORD_DECODED + "'");
        }

        static String newDatabase(int port) {
            String database = SERVER.newDatabase();
            SERVER.execute("postgres", "ALTER DATABASE " + database + " OWNER TO app");
            return "postgresql://app:" + PASSWORD + "@127.0.0.1:" + port + "/" + database;
        }
    }

    /** Started by the first test that needs it. */
    private static final class MariaDb {

        static final MariaDbServer SERVER = MariaDbServer.start(Map.of());

        static {
            SERVER.execute("", "CREATE USER app@'%' IDENTIFIED BY '" + PASSWORD_DECODED + "'");
        }

        static String newDatabase() {
            String database = SERVER.newDatabase();
            SERVER.execute("", "GRANT ALL ON " + database + ".* TO app@'%'");
            return "mariadb://app:" + PASSWORD + "@127.0.0.1:" + SERVER.port() + "/" + database;
        }
    }

    /** Started by the first test that needs it. */
    private static final class Redis {

        static final RedisServer SERVER =
                RedisServer.start(RedisSettings.inMemory().with("requirepass", PASSWORD_DECODED));
    }
}
