package io.fenceline.jdbc.hsqldb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.guard.SqlGenerationClock;
import java.sql.SQLException;
import java.util.UUID;
import org.hsqldb.jdbc.JDBCDataSource;
import org.junit.jupiter.api.Test;

class HsqldbGuardTest {

    private final JDBCDataSource source = new JDBCDataSource();

    HsqldbGuardTest() {
        source.setUrl("jdbc:hsqldb:mem:" + UUID.randomUUID() + ";hsqldb.tx=mvcc");
    }

    @Test
    void refusesAStaleHolder() throws SQLException {
        JdbcFenceGuard guard = JdbcFenceGuard.on(source);
        guard.schema().installSchema();
        assertThat(guard.schema().schemaProblems()).isEmpty();

        guard.claim("invoice/42", stamp(2));
        guard.write("invoice/42", stamp(3), connection -> {});

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.write("invoice/42", stamp(2), connection -> {}));
        assertThat(guard.highest("invoice/42")).contains(stamp(3));
    }

    @Test
    void countsGenerations() {
        SqlGenerationClock clock = SqlGenerationClock.on(source);
        clock.schema().installSchema();

        assertThat(clock.next("shard")).isEqualTo(FencingToken.of(1));
        clock.raise("shard", FencingToken.of(7));
        assertThat(clock.next("shard")).isEqualTo(FencingToken.of(8));
        clock.raise("other", FencingToken.of(5));
        assertThat(clock.next("other")).isEqualTo(FencingToken.of(6));
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("invoice:42"), FencingToken.of(token));
    }
}
