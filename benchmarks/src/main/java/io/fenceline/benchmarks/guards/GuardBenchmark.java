package io.fenceline.benchmarks.guards;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.benchmarks.contender.PostgresPool;
import io.fenceline.benchmarks.measure.Figures;
import io.fenceline.benchmarks.measure.Numbers;
import io.fenceline.benchmarks.report.ResultsFile;
import io.fenceline.benchmarks.report.Surroundings;
import io.fenceline.benchmarks.store.Store;
import io.fenceline.benchmarks.store.StoreServers;
import io.fenceline.guard.FenceRule;
import io.fenceline.redis.RedisFences;
import io.fenceline.redis.RedisOptions;
import io.lettuce.core.RedisClient;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;

/**
 * Measures guarded writes beside the same writes without a guard: {@code ./benchmarks/run guards [--write] [--quick]}. Plain and
 * guarded take turns in one JVM, every 50 ms, so that what else happens on the machine hits both.
 */
public final class GuardBenchmark implements AutoCloseable {

    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("accounts"), FencingToken.of(34));
    private static final int MANY = 8;

    private final StoreServers stores = new StoreServers(Map.of());
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final int rounds;
    private final Duration window;

    private GuardBenchmark(boolean quick) {
        this.rounds = quick ? 1 : 5;
        this.window = Duration.ofMillis(quick ? 400 : 2400);
    }

    /** Runs it; {@code -Dfenceline.benchmarks} names the module's folder. */
    public static void main(String[] args) throws Exception {
        List<String> arguments = List.of(args);
        if (!List.of("--write", "--quick").containsAll(arguments) || arguments.size() == 2) {
            System.err.println("usage: ./benchmarks/run guards [--write | --quick]");
            System.exit(2);
        }
        String section;
        try (GuardBenchmark benchmark = new GuardBenchmark(arguments.contains("--quick"))) {
            section = benchmark.run(("./benchmarks/run guards " + String.join(" ", args)).strip());
        }
        if (arguments.contains("--write")) {
            ResultsFile results = ResultsFile.read(
                    Path.of(System.getProperty("fenceline.benchmarks", ".")).resolve("RESULTS.md"));
            results.replace("guards", section);
            results.write();
        }
        System.out.print(section);
        System.exit(0);
    }

    private String run(String command) throws Exception {
        List<Pair> pairs = new ArrayList<>();
        pairs.addAll(SqlPairs.on(Store.POSTGRESQL, postgres(), STAMP, MANY));
        pairs.addAll(SqlPairs.on(Store.SQLITE, sqlite(), STAMP, MANY));
        pairs.addAll(redis());
        StringBuilder text = new StringBuilder(
                Surroundings.text(command, stores, EnumSet.of(Store.POSTGRESQL, Store.SQLITE, Store.REDIS)));
        text.append(
                "\n| store | guard | beside | threads | plain, writes/s | guarded, writes/s | × plain | quartiles |\n");
        text.append("|---|---|---|---|---|---|---|---|\n");
        for (Pair pair : pairs) {
            for (int threads : pair.store() == Store.SQLITE ? new int[] {1} : new int[] {1, MANY}) {
                text.append(row(pair, threads));
            }
        }
        return text.toString();
    }

    private String row(Pair pair, int threads) throws Exception {
        Figures plain = new Figures();
        Figures guarded = new Figures();
        Loop.rates(pair, threads, window); // warms up
        for (int round = 1; round <= rounds; round++) {
            Loop.Rates rates = Loop.rates(pair, threads, window);
            plain.add(round, Map.of("rate", rates.plain()));
            guarded.add(round, Map.of("rate", rates.guarded()));
        }
        System.err.println(pair.store().title() + ", " + pair.name() + ", threads " + threads + ": "
                + Numbers.text(guarded.ratio("rate", plain, 0.5)) + " of the plain write");
        return "| %s | %s | %s | %d | %s | %s | %s | %s–%s |\n"
                .formatted(
                        pair.store().title(),
                        pair.name(),
                        pair.plainly(),
                        threads,
                        Numbers.text(plain.median("rate")),
                        Numbers.text(guarded.median("rate")),
                        Numbers.text(guarded.ratio("rate", plain, 0.5)),
                        Numbers.text(guarded.ratio("rate", plain, 0.25)),
                        Numbers.text(guarded.ratio("rate", plain, 0.75)));
    }

    private HikariDataSource postgres() throws Exception {
        return opened(PostgresPool.open(stores.address(Store.POSTGRESQL), SqlPairs.SCHEMA));
    }

    /** One connection: a file has one writer at a time. */
    private HikariDataSource sqlite() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:" + stores.address(Store.SQLITE).uri());
        config.setMaximumPoolSize(1);
        config.addDataSourceProperty("journal_mode", "WAL");
        config.addDataSourceProperty("synchronous", "FULL");
        HikariDataSource pool = opened(new HikariDataSource(config));
        for (String statement : SqlPairs.SCHEMA.split(";")) {
            if (!statement.isBlank()) {
                execute(pool, statement);
            }
        }
        return pool;
    }

    private static void execute(HikariDataSource pool, String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot run: " + sql, e);
        }
    }

    private List<Pair> redis() {
        String uri = stores.address(Store.REDIS).uri();
        RedisClient client = RedisClient.create(uri);
        opened(() -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
        RedisFences fences = opened(RedisFences.open(uri, RedisOptions.defaults()));
        return RedisPairs.on(opened(client.connect()).sync(), fences.guard(FenceRule.AT_LEAST), STAMP);
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.push(resource);
        return resource;
    }

    /** Ends everything that was started. */
    @Override
    public void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        stores.close();
    }
}
