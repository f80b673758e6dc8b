package io.fenceline.benchmarks.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import redis.clients.jedis.Jedis;

/** Fills a store with keys that were locked and released: copies of one, made by the server. */
public final class ManyKeys {

    /** The key that is copied. */
    public static final String TEMPLATE = key(0);

    private static final int STEP = 10_000;

    private static final String COPY = """
            for i = ARGV[1], ARGV[2] do
              redis.call('COPY', KEYS[1], (string.gsub(KEYS[1], 'many 0', 'many ' .. string.format('%.0f', i))))
            end
            """;

    private ManyKeys() {}

    /** Returns the name of a key. */
    public static String key(int number) {
        return "many " + number;
    }

    /** Copies the template, which must have been locked. */
    public static void fill(Store store, StoreAddress address, int keys) throws SQLException {
        switch (store) {
            case REDIS -> {
                try (Jedis jedis = new Jedis(address.host(), address.port(), 60_000)) {
                    String template =
                            jedis.keys("*{" + TEMPLATE + "}").iterator().next();
                    for (int i = 1; i < keys; i += STEP) {
                        jedis.eval(COPY, 1, template, String.valueOf(i), String.valueOf(Math.min(i + STEP, keys) - 1));
                    }
                }
            }
            case POSTGRESQL -> {
                try (Connection connection = DriverManager.getConnection(address.jdbcUrl());
                        Statement statement = connection.createStatement()) {
                    statement.execute("INSERT INTO fenceline_lock SELECT (jsonb_populate_record(row,"
                            + " jsonb_build_object('lock_key', 'many ' || i))).* FROM fenceline_lock row, generate_series(1, "
                            + (keys - 1) + ") i WHERE lock_key = '" + TEMPLATE + "' ON CONFLICT DO NOTHING");
                    statement.execute("VACUUM ANALYZE fenceline_lock");
                }
            }
            case MEMORY, SQLITE -> throw new IllegalArgumentException(store.title() + " has no server");
        }
    }
}
