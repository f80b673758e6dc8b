package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.guard.FenceRule;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.spi.SchemaControl;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.mariadb.jdbc.MariaDbDataSource;

class MariaDbGuardedTransactionTest extends EndingInTheMiddleContract {

    @Override
    GuardPlace newPlace() {
        return new MariaDbPlace();
    }

    @Override
    SQLException conflict() {
        return new SQLException("Deadlock found", "40001", 1213);
    }

    @Override
    void awaitBlocked() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> number("SELECT count(*) FROM information_schema.innodb_lock_waits") > 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_READ_COMMITTED", "TRANSACTION_REPEATABLE_READ"})
    void aTransactionFromBeforeTheClaimIsRefused(String level) throws SQLException {
        try (MariaDbPlace strict = new MariaDbPlace(level)) {
            JdbcFenceGuard strictGuard = JdbcFenceGuard.on(strict.source(), strict.options());
            strictGuard.schema().installSchema();
            strictGuard.claim(RESOURCE, stamp(33));
            try (Connection old = strict.begin()) {
                new Sql("SELECT count(*) FROM " + strict.in("fenceline_fences")).one(old, row -> row.getLong(1));

                strictGuard.claim(RESOURCE, stamp(34));

                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> strictGuard.enter(old, RESOURCE, stamp(33)));
                assertThatExceptionOfType(StaleTokenException.class)
                        .isThrownBy(() -> strictGuard.claim(old, RESOURCE, stamp(33)));
                old.rollback();
            }
        }
    }

    /** As docs/guard-reference.md says: at REPEATABLE READ all tables are seen as they were at the first read of any. */
    @ParameterizedTest
    @CsvSource({"TRANSACTION_REPEATABLE_READ, 0, 1", "TRANSACTION_READ_COMMITTED, 1, 1"})
    @Tag("R4")
    void whatIsReadAfterEnterIsOfTodayForUpdateOrAtReadCommitted(String level, long plain, long forUpdate)
            throws SQLException {
        String total = "SELECT total FROM totals";
        try (MariaDbPlace place = new MariaDbPlace(level, "&sessionVariables=innodb_snapshot_isolation=0")) {
            JdbcFenceGuard here = JdbcFenceGuard.on(place.source(), place.options());
            here.schema().installSchema();
            place.execute("CREATE TABLE totals (total INTEGER)");
            place.execute("INSERT INTO totals VALUES (0)");
            place.execute("CREATE TABLE settings (id INTEGER)");
            try (Connection newer = place.begin()) {
                new Sql("SELECT count(*) FROM settings").one(newer, row -> row.getLong(1));
                here.write(RESOURCE, stamp(33), new Sql("UPDATE totals SET total = total + 1")::run);
                here.enter(newer, RESOURCE, stamp(34));

                assertThat(new Sql(total).one(newer, row -> row.getLong(1))).contains(plain);
                assertThat(new Sql(total + " FOR UPDATE").one(newer, row -> row.getLong(1)))
                        .contains(forUpdate);
                newer.rollback();
            }
        }
    }

    /** The driver would repeat a stale transaction on a new connection, with its fence, and not look whether that is taken. */
    @Test
    @Tag("R11")
    void takesNoFenceWhereTheDriverRepeatsLostTransactions() throws SQLException {
        DataSource replaying = new MariaDbDataSource(
                url().replace("jdbc:mariadb:", "jdbc:mariadb:sequential:") + "&transactionReplay=true");
        JdbcFenceGuard stale = JdbcFenceGuard.on(replaying);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> stale.call(RESOURCE, stamp(33), connection -> {
                    insert.run(connection, 1, "before");
                    killed(connection);
                    guard.claim(RESOURCE, stamp(34));
                    return insert.run(connection, 2, "stale");
                }))
                .withMessageContaining("transactionReplay");
        try (Connection connection = replaying.getConnection()) {
            connection.setAutoCommit(false);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> stale.enter(connection, RESOURCE, stamp(33)))
                    .withMessageContaining("leave it out of the URL");
            connection.rollback();
        }
        assertThat(number("SELECT count(*) FROM " + place.in("lines"))).isZero();
        JdbcFenceGuard.on(new MariaDbDataSource(url() + "&transactionReplay=true"))
                .claim(RESOURCE, stamp(33));
    }

    /** information_schema shows a user only tables on which the user has a right. */
    @Test
    void aUserWhoMayWriteTheFencesAloneNeedsNothingElse() throws SQLException {
        place.execute("CREATE OR REPLACE USER eve@'%' IDENTIFIED BY 'secret'");
        MariaDbDataSource limited = new MariaDbDataSource(url().replaceAll("user=[^&]*", "user=eve&password=secret"));
        SchemaControl schema = JdbcFenceGuard.on(limited).schema();
        place.execute("GRANT SELECT ON " + place.in("lines") + " TO eve@'%'");
        assertThat(schema.schemaProblems())
                .containsExactly("table fenceline_fences is missing, or this user has no right on it");
        place.execute("GRANT SELECT, INSERT, UPDATE ON " + place.in("fenceline_fences") + " TO eve@'%'");

        schema.installSchema();

        assertThat(schema.schemaProblems()).isEmpty();
        JdbcFenceGuard.on(limited).claim(RESOURCE, stamp(34));
        place.execute("GRANT SELECT ON " + place.in("fenceline_fences_audit") + " TO eve@'%'");
        assertThat(schema.schemaProblems()).isEmpty();
        place.execute("DROP TABLE " + place.in("fenceline_fences_audit"));
        assertThat(JdbcFenceGuard.on(place.source()).schema().schemaProblems())
                .containsExactly("table fenceline_fences_audit is missing");
        place.execute("DROP USER eve@'%'");
    }

    private String url() throws SQLException {
        try (Connection connection = place.source().getConnection()) {
            return connection.getMetaData().getURL();
        }
    }

    private void killed(Connection connection) throws SQLException {
        place.execute("KILL "
                + new Sql("SELECT connection_id()")
                        .one(connection, row -> row.getLong(1))
                        .orElseThrow());
    }

    /** What a driver counts is a setting of it. */
    @Test
    void admitsAndRefusesAlikeWhereTheDriverCountsOnlyWhatChanged() throws SQLException {
        try (MariaDbPlace counting = new MariaDbPlace("TRANSACTION_REPEATABLE_READ", "&useAffectedRows=true")) {
            JdbcFenceGuard own = JdbcFenceGuard.on(counting.source(), counting.options());
            own.schema().installSchema();
            JdbcFenceGuard once =
                    JdbcFenceGuard.on(counting.source(), counting.options().withRule(FenceRule.ONCE));

            for (int i = 0; i < 50; i++) {
                own.claim(RESOURCE, stamp(34));
            }
            once.call(RESOURCE, stamp(34), connection -> 0);
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> once.call(RESOURCE, stamp(34), connection -> 0));
            once.call("another", stamp(34), connection -> 0);
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> once.call("another", stamp(34), connection -> 0));
            assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> own.claim(RESOURCE, stamp(33)));
        }
    }
}
