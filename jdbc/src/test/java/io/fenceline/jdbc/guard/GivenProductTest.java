package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.jdbc.BoundDataSource;
import io.fenceline.jdbc.outbox.Outbox;
import io.fenceline.jdbc.outbox.OutboxOptions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Guards on a database that its driver gives another name, and on products that they do not know. */
class GivenProductTest {

    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("invoice:42"), FencingToken.of(7));

    private final GuardPlace place = new H2Place();

    private final BoundDataSource renamed = new BoundDataSource() {
        @Override
        public Connection getConnection() throws SQLException {
            return renamed(place.connect());
        }
    };

    @AfterEach
    void close() {
        place.close();
    }

    @Test
    void useTheProductThatTheyAreGiven() throws SQLException {
        JdbcFenceGuard guard = JdbcFenceGuard.on(renamed, place.options().withProduct("H2"));
        guard.schema().installSchema();

        guard.claim("invoice/42", STAMP);
        guard.write("invoice/42", STAMP, connection -> {});

        assertThat(guard.highest("invoice/42")).contains(STAMP);
    }

    @Test
    void tellHowToNameTheProductThatTheyDoNotKnow() {
        JdbcFenceGuard guard = JdbcFenceGuard.on(renamed, place.options());

        assertThatIllegalArgumentException()
                .isThrownBy(() -> guard.claim("invoice/42", STAMP))
                .withMessageContaining("no fences on 'Compatible'; known are H2, ")
                .withMessageContaining("GuardOptions.withProduct");
    }

    @Test
    void refuseAnOutboxWhereThereIsNone() {
        Outbox outbox = Outbox.on(place.source(), OutboxOptions.named("mails"));

        assertThatIllegalArgumentException()
                .isThrownBy(outbox::installSchema)
                .withMessage("no outbox on 'H2'; known are PostgreSQL, SQLite");
    }

    private static Connection renamed(Connection connection) {
        return decorated(
                Connection.class,
                connection,
                "getMetaData",
                metaData -> decorated(
                        DatabaseMetaData.class,
                        (DatabaseMetaData) metaData,
                        "getDatabaseProductName",
                        name -> "Compatible"));
    }

    /** The object with another answer to one of its methods. */
    private static <T> T decorated(Class<T> type, T object, String name, UnaryOperator<Object> change) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, values) -> {
                    try {
                        Object answer = method.invoke(object, values);
                        return method.getName().equals(name) ? change.apply(answer) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
