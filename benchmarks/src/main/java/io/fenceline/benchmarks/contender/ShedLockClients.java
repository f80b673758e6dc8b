package io.fenceline.benchmarks.contender;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.benchmarks.store.StoreAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock's providers. It never waits for a lock, so the harness asks again. */
final class ShedLockClients {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private static final String SCHEMA = """
            CREATE TABLE IF NOT EXISTS shedlock (
              name VARCHAR(64) NOT NULL,
              lock_until TIMESTAMP NOT NULL,
              locked_at TIMESTAMP NOT NULL,
              locked_by VARCHAR(255) NOT NULL,
              PRIMARY KEY (name))
            """;

    private ShedLockClients() {}

    static LockClient openRedis(StoreAddress address) {
        LettuceConnectionFactory connections = SpringRedis.open(address);
        return client(new RedisLockProvider(connections), connections::destroy);
    }

    static LockClient openJdbc(StoreAddress address) throws SQLException, InterruptedException {
        HikariDataSource pool = PostgresPool.open(address, SCHEMA);
        JdbcTemplateLockProvider.Configuration configuration = JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(pool))
                .usingDbTime()
                .build();
        return client(new JdbcTemplateLockProvider(configuration), pool::close);
    }

    private static LockClient client(LockProvider provider, Runnable close) {
        return new LockClient() {
            @Override
            public KeyLock lock(String key) {
                return new ProviderLock(provider, key);
            }

            @Override
            public void close() {
                close.run();
            }
        };
    }

    private static final class ProviderLock extends Polling {
        private final LockProvider provider;
        private final String key;
        private SimpleLock lock;

        ProviderLock(LockProvider provider, String key) {
            super(PAUSE);
            this.provider = provider;
            this.key = key;
        }

        @Override
        long tryAcquire() {
            Optional<SimpleLock> granted = provider.lock(new LockConfiguration(Instant.now(), key, TTL, Duration.ZERO));
            if (granted.isEmpty()) {
                return -1;
            }
            lock = granted.get();
            return 0;
        }

        @Override
        public void release() {
            lock.unlock();
        }
    }
}
