package io.fenceline.benchmarks.contender;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.benchmarks.store.StoreAddress;
import java.sql.SQLException;
import java.util.concurrent.locks.Lock;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Integration's lock registries with their default settings. */
final class SpringClients {

    private static final String SCHEMA = """
            CREATE TABLE IF NOT EXISTS INT_LOCK (
              LOCK_KEY CHAR(36) NOT NULL,
              REGION VARCHAR(100) NOT NULL,
              CLIENT_ID CHAR(36),
              CREATED_DATE TIMESTAMP NOT NULL,
              EXPIRED_AFTER TIMESTAMP NOT NULL,
              CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION))
            """;

    private SpringClients() {}

    static LockClient openSpinning(StoreAddress address) {
        return openRedis(address, "spin", RedisLockType.SPIN_LOCK);
    }

    static LockClient openSubscribing(StoreAddress address) {
        return openRedis(address, "pubsub", RedisLockType.PUB_SUB_LOCK);
    }

    private static LockClient openRedis(StoreAddress address, String name, RedisLockType type) {
        LettuceConnectionFactory connections = SpringRedis.open(address);
        RedisLockRegistry registry = new RedisLockRegistry(connections, name);
        registry.setRedisLockType(type);
        return client(registry, () -> {
            registry.destroy();
            connections.destroy();
        });
    }

    static LockClient openJdbc(StoreAddress address) throws SQLException, InterruptedException {
        HikariDataSource pool = PostgresPool.open(address, SCHEMA);
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        // as its manual says for PostgreSQL: the violation of the primary key would end the transaction
        repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        return client(new JdbcLockRegistry(repository), () -> {
            repository.close();
            pool.close();
        });
    }

    private static LockClient client(LockRegistry<?> registry, Runnable close) {
        return new LockClient() {
            @Override
            public KeyLock lock(String key) {
                return new RegistryLock(registry, key);
            }

            @Override
            public void close() {
                close.run();
            }
        };
    }

    private static final class RegistryLock implements KeyLock {
        private final LockRegistry<?> registry;
        private final String key;
        private Lock lock;

        RegistryLock(LockRegistry<?> registry, String key) {
            this.registry = registry;
            this.key = key;
        }

        @Override
        public long acquire() {
            lock = registry.obtain(key);
            lock.lock();
            return 0;
        }

        @Override
        public void release() {
            lock.unlock();
        }
    }
}
