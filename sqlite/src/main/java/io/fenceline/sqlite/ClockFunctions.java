package io.fenceline.sqlite;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.Function;

/**
 * The machine's clock as SQL functions of one connection.
 *
 * <p>SQLite takes the write lock before it evaluates a statement's expressions, so a clock that is read by a function is read
 * after the wait for the lock; a time that was bound as a parameter would be as old as that wait. All that
 * is done in one turn sees one reading.
 */
final class ClockFunctions {

    private final MachineClock clock;
    private @Nullable MachineTime reading;

    private ClockFunctions(MachineClock clock) {
        this.clock = clock;
    }

    /** Adds the functions to a connection. */
    static ClockFunctions on(Connection connection, MachineClock clock) throws SQLException {
        ClockFunctions functions = new ClockFunctions(clock);
        Function.create(connection, "wall_clock", functions.wallClock(), 0, 0);
        Function.create(connection, "boot_id", functions.bootId(), 0, 0);
        Function.create(connection, "end_by_uptime", functions.endByUptime(), 1, 0);
        Function.create(connection, "end_by_wall_clock", functions.endByWallClock(), 1, 0);
        Function.create(connection, "remaining", functions.remaining(), 4, 0);
        Function.create(connection, "outlasts", functions.outlasts(), 5, 0);
        return functions;
    }

    /** Forgets the last turn's reading. Used by the thread whose turn it is, as all of this class. */
    void startTurn() {
        reading = null;
    }

    private MachineTime now() {
        MachineTime known = reading;
        if (known == null) {
            known = clock.read();
            reading = known;
        }
        return known;
    }

    private Function wallClock() {
        return new Function() {
            @Override
            protected void xFunc() throws SQLException {
                result(now().wallMillis());
            }
        };
    }

    private Function bootId() {
        return new Function() {
            @Override
            protected void xFunc() throws SQLException {
                result(now().bootId());
            }
        };
    }

    /** {@code end_by_uptime(ttl)}. */
    private Function endByUptime() {
        return new Function() {
            @Override
            protected void xFunc() throws SQLException {
                result(now().after(value_long(0)).uptimeMillis());
            }
        };
    }

    /** {@code end_by_wall_clock(ttl)}. */
    private Function endByWallClock() {
        return new Function() {
            @Override
            protected void xFunc() throws SQLException {
                result(now().after(value_long(0)).wallMillis());
            }
        };
    }

    /** {@code remaining(boot_id, ends_at_uptime, expires_at, ttl)}; 0 if the lease has ended. */
    private Function remaining() {
        return new Function() {
            @Override
            protected void xFunc() throws SQLException {
                result(now().remainingMillis(new LeaseEnd(value_text(0), value_long(1), value_long(2), value_long(3))));
            }
        };
    }

    /** {@code outlasts(boot_id, ends_at_uptime, expires_at, ttl, new_ttl)}; 1 if the lease ends no sooner than with a new ttl. */
    private Function outlasts() {
        return new Function() {
            @Override
            protected void xFunc() throws SQLException {
                LeaseEnd end = new LeaseEnd(value_text(0), value_long(1), value_long(2), value_long(3));
                result(now().outlasts(end, value_long(4)) ? 1 : 0);
            }
        };
    }
}
