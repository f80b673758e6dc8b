package io.fenceline.examples;

import io.fenceline.firestore.DocumentLayout;
import io.fenceline.firestore.FirestoreLockBackend;
import io.fenceline.firestore.FirestoreLockOptions;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.LockSchema;
import io.fenceline.redis.KeyLayout;
import io.fenceline.redis.RedisLockBackend;
import io.fenceline.redis.RedisOptions;
import io.fenceline.spi.LockBackend;
import javax.sql.DataSource;

/** Stores that are opened by code and not by a URI from the configuration. */
public final class Stores {

    private Stores() {}

    /**
     * Uses the database that the application has anyway. Its migrations make the tables.
     *
     * @param dataSource the application's pool
     * @return a backend that leaves the pool open when it is closed
     */
    public static LockBackend database(DataSource dataSource) {
        JdbcLockBackend backend = JdbcLockBackend.on(dataSource, JdbcOptions.defaults());
        return backend;
    }

    /**
     * Uses a Redis server.
     *
     * @return a backend with a connection of its own
     */
    public static LockBackend redis() {
        RedisLockBackend backend = RedisLockBackend.open("redis://cache-1:6379", RedisOptions.defaults());
        return backend;
    }

    /**
     * Uses a Redis server together with SyncGuard processes.
     *
     * @return a backend with a connection of its own
     */
    public static LockBackend redisOfSyncGuard() {
        RedisOptions shared = RedisOptions.defaults().withLayout(KeyLayout.syncGuard("syncguard"));
        RedisLockBackend locks = RedisLockBackend.open("redis://cache-1:6379", shared);
        return locks;
    }

    /**
     * Uses a project's default Firestore database.
     *
     * @return a backend with a client of its own
     */
    public static LockBackend firestore() {
        FirestoreLockBackend backend =
                FirestoreLockBackend.open("firestore://my-project", FirestoreLockOptions.defaults());
        return backend;
    }

    /**
     * Uses the tables of SyncGuard's processes on PostgreSQL.
     *
     * @param dataSource a pool on their database
     * @return a backend that leaves the pool open when it is closed
     */
    public static LockBackend databaseOfSyncGuard(DataSource dataSource) {
        JdbcOptions options =
                JdbcOptions.defaults().withSchema(LockSchema.syncGuard("syncguard_locks", "syncguard_fence_counters"));
        JdbcLockBackend backend = JdbcLockBackend.on(dataSource, options);
        return backend;
    }

    /**
     * Uses the documents of SyncGuard's processes.
     *
     * @return a backend with a client of its own
     */
    public static LockBackend firestoreOfSyncGuard() {
        FirestoreLockOptions options =
                FirestoreLockOptions.defaults().withLayout(DocumentLayout.syncGuard("locks", "fence_counters"));
        FirestoreLockBackend backend = FirestoreLockBackend.open("firestore://my-project", options);
        return backend;
    }
}
