package io.fenceline.jdbc.guard;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.sqlserver.PiecemealDataSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * Tables with a prefix of their own, on a server or on what stands for one. They are dropped at the end.
 *
 * <p>On a server texts are in UTF-8, which is there from version 2019 on, so that a name of 512 bytes fits into a key.
 */
final class SqlServerPlace implements GuardPlace {

    static final String GIVEN = "FENCELINE_TEST_SQLSERVER_URL";

    private final String prefix = "g" + UUID.randomUUID().toString().substring(0, 8) + "_";
    private final HikariDataSource pool = new HikariDataSource();
    private final DataSource source;
    private final String textType;
    private final List<String> closing;

    private SqlServerPlace(String url, String textType, List<String> closing, UnaryOperator<DataSource> shown) {
        pool.setJdbcUrl(url);
        pool.setMinimumIdle(1);
        pool.setMaximumPoolSize(12);
        this.source = shown.apply(pool);
        this.textType = textType;
        this.closing = closing;
    }

    /** H2 in its SQL Server mode: shows what statements decide and nothing of what they lock. */
    static SqlServerPlace onH2() {
        ReentrantLock turn = new ReentrantLock();
        return new SqlServerPlace(
                "jdbc:h2:mem:" + UUID.randomUUID()
                        + ";MODE=MSSQLServer;LOCK_TIMEOUT=10000;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE"
                        + ";NON_KEYWORDS=VALUE;DB_CLOSE_DELAY=-1",
                "VARCHAR(%d)",
                List.of("SET DB_CLOSE_DELAY 0"),
                h2 -> PiecemealDataSource.over(h2, turn));
    }

    /** The server that the environment names. */
    static SqlServerPlace given() {
        return new SqlServerPlace(
                System.getenv(GIVEN),
                "VARCHAR(%d) COLLATE Latin1_General_100_BIN2_UTF8",
                List.of(),
                UnaryOperator.identity());
    }

    @Override
    public DataSource source() {
        return source;
    }

    @Override
    public String in(String name) {
        return prefix + name;
    }

    @Override
    public String textType(int length) {
        return textType.formatted(length);
    }

    /** Another's server is left running. */
    @Override
    public void restart() {
        pool.getHikariPoolMXBean().softEvictConnections();
    }

    @Override
    public void close() {
        List<String> tables = new ArrayList<>(List.of("texts", "lines", "totals", "fenceline_lock"));
        tables.add("fenceline_lock_audit");
        for (String kind : List.of("", "_audit", "_stream", "_clock")) {
            tables.add("fenceline_fences" + kind);
        }
        tables.forEach(table -> execute("DROP TABLE IF EXISTS " + in(table)));
        closing.forEach(this::execute);
        pool.close();
    }
}
