package io.fenceline.jdbc.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.jdbc.guard.JoinedUpdate.Bound;
import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.trigger.SessionStamp;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.GuardCheck;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One row of a {@link FencedTable} in one call: its statements run under the row's fence, on the condition that the column admits
 * the stamp.
 */
final class FencedRow {

    private final Connection connection;
    private final FenceDialect dialect;
    private final TableSql sql;
    private final FenceColumns columns;
    private final GuardOptions options;
    private final FenceRows fences;
    private final Object key;
    private final String name;
    private final FenceStamp stamp;

    /**
     * @param key as the driver gets it
     * @param name in the table of fences and in errors
     * @param stamp the writer's key and token
     */
    FencedRow(
            Connection connection,
            FenceDialect dialect,
            TableSql sql,
            FenceColumns columns,
            GuardOptions options,
            FenceRows fences,
            Object key,
            String name,
            FenceStamp stamp) {
        this.connection = connection;
        this.dialect = dialect;
        this.sql = sql;
        this.columns = columns;
        this.options = options;
        this.fences = fences;
        this.key = key;
        this.name = name;
        this.stamp = stamp;
    }

    String name() {
        return name;
    }

    GuardCheck begin(GuardAct act) {
        return GuardCheck.begin(options.listeners(), act, name, stamp);
    }

    /** Takes the row's fence for a write. */
    void enter() throws SQLException {
        fences.write(connection, name, stamp).orThrow(name, stamp, options.listeners());
    }

    /**
     * Takes the row's fence for a write and updates the row, both in one request.
     *
     * @return false where that was not possible, for whatever reason; the row is unchanged then
     */
    boolean updateAtOnce(Columns values) throws SQLException {
        return fences.canJoin(connection)
                && fences.writeAndUpdate(
                        connection,
                        name,
                        stamp,
                        new Bound(sql.find(), keyAndStamp()),
                        new Bound(sql.update(values.names()), withStamps(values.values())));
    }

    /** Takes the row's fence for a write, and answers whether there is such a row. */
    boolean update(Columns values) throws SQLException {
        enter();
        return changed(sql.update(values.names()), values.values(), this::onWrite);
    }

    void insert(Columns values) throws SQLException {
        List<@Nullable Object> all = new ArrayList<>(values.values());
        addStamp(all);
        all.add(key);
        // A trigger that puts the row elsewhere, as into a partition, may count none; but the row has our token.
        if (execute(sql.insert(values.names()), all) == 0
                && read(sql.latest())
                        .flatMap(Seen::token)
                        .filter(stamp.token()::equals)
                        .isEmpty()) {
            throw new SQLException(
                    "row " + name + " was not made, and the database says nothing of it: a trigger, a rule or"
                            + " a constraint of the table suppressed the insert; a retry cannot help");
        }
    }

    /** Answers whether there was such a row. */
    boolean delete() throws SQLException {
        return done(sql.delete(), keyAndStamp(), this::onWrite);
    }

    /** Takes the row's fence for a claim, and raises the column of a row that is there. */
    void claim() throws SQLException {
        fences.claim(connection, name, stamp).orThrow(name, stamp, options.listeners());
        // to set the column is a write for a trigger
        Optional<FenceStamp> before = SessionStamp.show(connection, stamp, name);
        try {
            changed(sql.claim(), List.of(), fence -> fence.onClaim(stamp));
        } finally {
            SessionStamp.hide(connection, before);
        }
    }

    /** Tells what a write would be answered. */
    Verdict check() throws SQLException {
        Verdict beside = verdict(fences.read(connection, name), this::onWrite);
        return beside.isAccepted() ? verdict(seen(sql.read()), this::onWrite) : beside;
    }

    /** Returns the greatest token that the row has seen, there or deleted. */
    Optional<FencingToken> highest() throws SQLException {
        Optional<FencingToken> ofRow = read(sql.read()).flatMap(Seen::token);
        Optional<FencingToken> beside = fences.read(connection, name).map(Fence::highest);
        return ofRow.isPresent() && beside.isPresent()
                ? ofRow.map(token -> token.isNewerThan(beside.get()) ? token : beside.get())
                : ofRow.or(() -> beside);
    }

    private Verdict onWrite(Fence fence) {
        return fence.onWrite(stamp, options.rule());
    }

    private static Verdict verdict(Optional<Fence> fence, Function<Fence, Verdict> decision) {
        return fence.map(decision).orElse(new Verdict.Accepted());
    }

    private boolean changed(String text, List<@Nullable Object> values, Function<Fence, Verdict> decision)
            throws SQLException {
        return done(text, withStamps(values), decision);
    }

    private List<@Nullable Object> keyAndStamp() {
        List<@Nullable Object> values = new ArrayList<>(List.of(key));
        addStamp(values);
        return values;
    }

    /** The values of an update. */
    private List<@Nullable Object> withStamps(List<@Nullable Object> values) {
        List<@Nullable Object> all = new ArrayList<>(values);
        addStamp(all);
        all.addAll(keyAndStamp());
        return all;
    }

    /**
     * Runs a conditional statement under the row's fence, and tells whether there was such a row. A second attempt finds a row
     * that somebody without a fence has just made.
     */
    private boolean done(String text, List<@Nullable Object> values, Function<Fence, Verdict> decision)
            throws SQLException {
        for (int attempt = 1; attempt <= 2; attempt++) {
            if (execute(text, values) > 0) {
                return true;
            }
            Optional<Fence> seen = seen(sql.latest());
            if (seen.isEmpty()) {
                return false;
            }
            ensureAccepted(verdict(seen, decision));
        }
        throw new SQLException("row " + name + " exists and its fence admits the stamp, but the database changed"
                + " nothing: a trigger, a rule or a row-level security policy of the table suppressed the write, or the"
                + " driver counts changed rows instead of matched rows (useAffectedRows); a retry cannot help");
    }

    /** The table of fences has admitted the stamp, so another lock is named by the row alone. */
    private void ensureAccepted(Verdict verdict) {
        try {
            verdict.orThrow(name, stamp, options.listeners());
        } catch (ForeignTokenException e) {
            throw new ForeignTokenException(
                    name,
                    stamp,
                    e.owner(),
                    "column " + columns.lockKey().orElseThrow() + " says so, and the table of fences does not: if"
                            + " 'fenceline guard rebind' has moved the resource, set this column and " + columns.fence()
                            + " of the row to NULL, else take that lock");
        }
    }

    private void addStamp(List<@Nullable Object> values) {
        values.add(columns.form().of(stamp.token()));
        if (columns.lockKey().isPresent()) {
            values.add(stamp.key().value());
        }
    }

    private int execute(String text, List<@Nullable Object> values) throws SQLException {
        Optional<FenceStamp> before = dialect.show(connection, stamp, name);
        try (PreparedStatement statement = connection.prepareStatement(text)) {
            for (int i = 0; i < values.size(); i++) {
                statement.setObject(i + 1, values.get(i));
            }
            return statement.executeUpdate();
        } finally {
            dialect.hide(connection, before);
        }
    }

    /** The fence of a row that is there; one that was never fenced is the stamp's own. */
    private Optional<Fence> seen(String query) throws SQLException {
        return read(query).map(seen -> {
            LockKey owner = seen.key().orElse(stamp.key());
            return seen.token()
                    .map(token -> new Fence(owner, token, token.value()))
                    .orElseGet(() -> new Fence(owner, FencingToken.of(1), 0));
        });
    }

    private Optional<Seen> read(String query) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setObject(1, key);
            try (ResultSet result = statement.executeQuery()) {
                if (!result.next()) {
                    return Optional.empty();
                }
                String owner = columns.lockKey().isPresent() ? result.getString(2) : null;
                return Optional.of(new Seen(
                        token(result.getString(1)),
                        Optional.ofNullable(owner)
                                .filter(text -> !text.isEmpty())
                                .map(LockKey::of)));
            }
        }
    }

    private Optional<FencingToken> token(@Nullable String text) throws SQLException {
        try {
            return columns.form().read(text);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new SQLException(
                    "column " + columns.fence() + " of " + columns.table() + " holds '" + text + "' in row " + name
                            + ", which is no fencing token; set it to NULL or "
                            + columns.form().none() + " there: the table of fences has the row's token",
                    e);
        }
    }

    /** The fence in a row's own columns. */
    private record Seen(Optional<FencingToken> token, Optional<LockKey> key) {}
}
