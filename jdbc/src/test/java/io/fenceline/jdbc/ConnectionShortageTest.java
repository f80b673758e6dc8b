package io.fenceline.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.LockKey;
import io.fenceline.spi.LockBackend;
import java.lang.reflect.Proxy;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;

/** A data source that starts a thread for its next connection, on a machine that gives it none. */
class ConnectionShortageTest {

    @Test
    void isAnOutageAndNotAnError() {
        boolean[] isShort = new boolean[1];
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID());
        DataSource source = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (isShort[0]) {
                        throw new OutOfMemoryError("unable to create native thread (thrown by the test)");
                    }
                    return method.getName().equals("isWrapperFor") ? false : database.getConnection();
                });
        try (LockBackend backend = JdbcLockBackend.on(source, JdbcOptions.defaults())) {
            isShort[0] = true;

            BackendException failure =
                    catchThrowableOfType(BackendException.class, () -> backend.isLocked(LockKey.of("invoice:42")));

            assertThat(failure).isNotNull();
            assertThat(failure.code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
            assertThat(failure.effect()).isEqualTo(Effect.NONE);
        }
    }
}
