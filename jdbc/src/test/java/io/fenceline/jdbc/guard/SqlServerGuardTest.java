package io.fenceline.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.guard.FenceRule;
import io.fenceline.guard.GenerationClock;
import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GenerationClockContract;
import io.fenceline.testkit.GuardFixture;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The guards of SQL Server: what their statements decide, on H2 in its SQL Server mode, and that they ask for the locks. That a
 * server gives these locks is shown only where {@code FENCELINE_TEST_SQLSERVER_URL}, a JDBC URL with user and password, names one.
 */
@Timeout(120)
class SqlServerGuardTest {

    @Test
    void asksForTheLockOfTheRowOrOfItsPlaceInEveryStatementThatDecides() {
        FenceDialect dialect = FenceDialect.sqlServer();
        List<String> deciding = Stream.of(
                        Stream.of(FenceRule.values())
                                .flatMap(rule -> dialect.write(rule).stream().map(Step::sql)),
                        dialect.claim().stream().map(Step::sql),
                        dialect.raiseClock().stream().map(Step::sql),
                        dialect.nextNumber().stream())
                .flatMap(all -> all)
                .toList();

        assertThat(deciding)
                .hasSize(15)
                .allSatisfy(sql ->
                        assertThat(sql).containsPattern("(UPDATE|FROM) \\w+ WITH \\(UPDLOCK, HOLDLOCK, ROWLOCK\\)"));
        assertThat(dialect.latest("SELECT written FROM fenceline_fences WHERE resource = ?1"))
                .isEqualTo(
                        "SELECT written FROM fenceline_fences WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE resource = ?1");
    }

    @Nested
    class Table extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(SqlServerPlace.onH2());
        }
    }

    @Nested
    class Column extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedTableFixture(
                    SqlServerPlace.onH2(), "BIGINT NOT NULL DEFAULT 0", true, UnaryOperator.identity());
        }
    }

    @Nested
    class Streams extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedStreamContractTest.Streams(SqlServerPlace.onH2());
        }
    }

    @Nested
    class Clock extends RowsOfAClock {
        @Override
        SqlServerPlace newPlace() {
            return SqlServerPlace.onH2();
        }
    }

    @Nested
    @EnabledIfEnvironmentVariable(named = SqlServerPlace.GIVEN, matches = "jdbc:.+")
    class TableOfAGivenServer extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FenceTableFixture(SqlServerPlace.given());
        }
    }

    @Nested
    @EnabledIfEnvironmentVariable(named = SqlServerPlace.GIVEN, matches = "jdbc:.+")
    class ColumnOfAGivenServer extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedTableFixture(
                    SqlServerPlace.given(), "BIGINT NOT NULL DEFAULT 0", true, UnaryOperator.identity());
        }
    }

    @Nested
    @EnabledIfEnvironmentVariable(named = SqlServerPlace.GIVEN, matches = "jdbc:.+")
    class StreamsOfAGivenServer extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new FencedStreamContractTest.Streams(SqlServerPlace.given());
        }
    }

    @Nested
    @EnabledIfEnvironmentVariable(named = SqlServerPlace.GIVEN, matches = "jdbc:.+")
    class ClockOfAGivenServer extends RowsOfAClock {
        @Override
        SqlServerPlace newPlace() {
            return SqlServerPlace.given();
        }
    }

    abstract static class RowsOfAClock extends GenerationClockContract {

        private SqlServerPlace place;

        abstract SqlServerPlace newPlace();

        @Override
        protected GenerationClock openClock() {
            boolean first = place == null;
            place = first ? newPlace() : place;
            SqlGenerationClock clock = SqlGenerationClock.on(place.source(), place.options());
            if (first) {
                clock.schema().installSchema();
            }
            return clock;
        }

        @AfterEach
        void close() {
            place.close();
        }
    }
}
