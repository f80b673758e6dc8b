package io.fenceline.jdbc.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.sql.Sql;
import io.fenceline.testkit.GuardedData;
import io.fenceline.testkit.NoGuard;
import io.fenceline.testkit.StressedData;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Texts in a table with a column for the fence, opened by a process of the stress test in one way or another. */
abstract class StressedTexts implements StressedData {

    private static final Sql READ = new Sql("SELECT value FROM texts WHERE name = ?1");
    private static final Sql UPDATE = new Sql("UPDATE texts SET value = ?2 WHERE name = ?1");
    private static final Sql INSERT = new Sql("INSERT INTO texts (name, value) VALUES (?1, ?2)");
    private static final Sql APPEND = new Sql("INSERT INTO fenceline_fences_stream (stream, position, token, payload)"
            + " SELECT ?1, coalesce(max(position), 0) + 1, ?2, ?3 FROM fenceline_fences_stream WHERE stream = ?1");

    private final List<UrlPlace> open = new ArrayList<>();

    /** Makes the tables. */
    static void install(String url) {
        try (UrlPlace place = new UrlPlace(url)) {
            FencedStream.on(place.source(), place.options()).schema().installSchema();
            place.execute("CREATE TABLE texts (name " + place.textType(600)
                    + " PRIMARY KEY, value VARCHAR(2000), last_fence BIGINT NOT NULL DEFAULT 0)");
        }
    }

    /** Writes on a connection and checks nothing. */
    static void put(Connection connection, String resource, String value) throws SQLException {
        if (UPDATE.run(connection, resource, value) == 0) {
            INSERT.run(connection, resource, value);
        }
    }

    UrlPlace place(String url) {
        UrlPlace place = new UrlPlace(url);
        open.add(place);
        return place;
    }

    @Override
    public GuardedData unguarded(String address) {
        return new Unguarded(place(address));
    }

    @Override
    public void close() {
        open.forEach(UrlPlace::close);
    }

    /** Under the table of fences. */
    static final class UnderFenceTable extends StressedTexts {
        @Override
        public GuardedData guarded(String address) {
            GuardPlace place = place(address);
            return new FenceTableFixture.Texts(place, JdbcFenceGuard.on(place.source(), place.options()));
        }
    }

    /** Under the fence in the row. */
    static final class UnderFenceColumn extends StressedTexts {
        @Override
        public GuardedData guarded(String address) {
            return new Rows(place(address), FencedTable.of("texts", "name", "last_fence"));
        }
    }

    /** The last entry of a stream. */
    static final class UnderStream extends StressedTexts {
        @Override
        public GuardedData guarded(String address) {
            GuardPlace place = place(address);
            FencedStream streams = FencedStream.on(place.source(), place.options());
            return new LastEntry(streams, streams.guard(), streams::append);
        }

        @Override
        public GuardedData unguarded(String address) {
            GuardPlace place = place(address);
            return new LastEntry(
                    FencedStream.on(place.source(), place.options()),
                    new NoGuard(),
                    (stream, stamp, payload) -> in(
                            place,
                            true,
                            connection ->
                                    APPEND.run(connection, stream, stamp.token().value(), payload)));
        }
    }

    /** How an entry is appended. */
    private interface Appending {
        void append(String stream, FenceStamp stamp, byte[] payload);
    }

    private static final class LastEntry implements GuardedData {

        private final FencedStream streams;
        private final FenceGuard guard;
        private final Appending appending;
        private long known = 1;

        LastEntry(FencedStream streams, FenceGuard guard, Appending appending) {
            this.streams = streams;
            this.guard = guard;
            this.appending = appending;
        }

        @Override
        public FenceGuard guard() {
            return guard;
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            appending.append(resource, stamp, value.getBytes(UTF_8));
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            throw new UnsupportedOperationException();
        }

        /** Reads on from the last entry that it has seen. */
        @Override
        public Optional<String> read(String resource) {
            List<StreamEntry> entries = streams.read(resource, known, Integer.MAX_VALUE);
            if (entries.isEmpty()) {
                return Optional.empty();
            }
            StreamEntry last = entries.get(entries.size() - 1);
            known = last.position();
            return Optional.of(last.text());
        }
    }

    private record Unguarded(GuardPlace place) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return new NoGuard();
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            in(place, true, connection -> {
                put(connection, resource, value);
                return true;
            });
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<String> read(String resource) {
            return in(place, true, connection -> READ.one(connection, row -> row.getString(1), resource));
        }
    }

    private record Rows(GuardPlace place, FencedTable table) implements GuardedData, FenceGuard {

        @Override
        public FenceGuard guard() {
            return this;
        }

        /** One statement without a transaction, once the row is there. */
        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            Columns columns = Columns.set("value", value);
            if (!in(place, true, connection -> table.update(connection, resource, stamp, columns))) {
                in(place, false, connection -> {
                    table.put(connection, resource, stamp, columns);
                    return true;
                });
            }
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Optional<String> read(String resource) {
            return in(place, true, connection -> READ.one(connection, row -> row.getString(1), resource));
        }

        @Override
        public void claim(String resource, FenceStamp stamp) {
            in(place, false, connection -> {
                table.claim(connection, resource, stamp);
                return true;
            });
        }

        @Override
        public Verdict check(String resource, FenceStamp stamp) {
            return in(place, true, connection -> table.check(connection, resource, stamp));
        }

        @Override
        public Optional<FenceStamp> highest(String resource) {
            Optional<FencingToken> highest = in(place, true, connection -> table.highest(connection, resource));
            return highest.map(token -> new FenceStamp(LockKey.of(resource), token));
        }
    }

    /** What a statement does on a connection. */
    interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    static <T> T in(GuardPlace place, boolean autoCommit, Work<T> work) {
        try (Connection connection = autoCommit ? place.connect() : place.begin()) {
            try {
                T result = work.on(connection);
                if (!autoCommit) {
                    connection.commit();
                }
                return result;
            } finally {
                if (!autoCommit) {
                    connection.rollback();
                }
            }
        } catch (SQLException e) {
            throw new BackendException(ErrorCode.ABORTED, Effect.UNKNOWN, e.getMessage(), e);
        }
    }
}
