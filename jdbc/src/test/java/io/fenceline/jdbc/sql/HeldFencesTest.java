package io.fenceline.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two data sources are of one database for all parameters but those by which tables are found. */
@Tag("R11")
class HeldFencesTest {

    @ParameterizedTest
    @CsvSource({
        "jdbc:sqlite:app.db, jdbc:sqlite:app.db?busy_timeout=20, true",
        "jdbc:sqlite:app.db, jdbc:sqlite:other.db, false",
        "jdbc:postgresql://h/db?user=a, jdbc:postgresql://h/db?ApplicationName=web&user=a, true",
        "jdbc:postgresql://h/db?currentSchema=a, jdbc:postgresql://h/db?currentSchema=b, false",
        "jdbc:postgresql://h/db?user=a, jdbc:postgresql://h/db?user=b, false",
        "jdbc:mariadb://h/db, jdbc:mariadb://h/db?useServerPrepStmts=true, true",
    })
    void areOfOneDatabase(String one, String other, boolean same) throws SQLException {
        assertThat(HeldFences.database(at(one)).equals(HeldFences.database(at(other))))
                .isEqualTo(same);
    }

    private static Connection at(String url) {
        DatabaseMetaData metaData = proxy(DatabaseMetaData.class, url);
        return proxy(Connection.class, metaData);
    }

    private static <T> T proxy(Class<T> type, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                HeldFencesTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> answer));
    }
}
