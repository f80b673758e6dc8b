package io.fenceline.sqlite;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.sqlite.Function;

/**
 * The machine's clock as SQL functions of one connection. Used by the thread that holds the connection's lock.
 *
 * <p>SQLite takes the write lock before it evaluates a statement's expressions, so a function reads the clock after the wait for the
 * lock. A time that was bound as a parameter would be as old as that wait. All statements of one operation see one reading.
 */
final class ClockFunctions {

    private final MachineClock clock;
    private @Nullable MachineTime reading;

    private ClockFunctions(MachineClock clock) {
        this.clock = clock;
    }

    /** Adds the functions to a connection. The end of a lease is four arguments: boot_id, ends_at_uptime, expires_at and ttl. */
    static ClockFunctions on(Connection connection, MachineClock clock) throws SQLException {
        ClockFunctions functions = new ClockFunctions(clock);
        functions.add(connection, "wall_clock", 0, (now, call) -> now.wallMillis());
        functions.add(connection, "boot_id", 0, (now, call) -> now.bootId());
        functions.add(
                connection,
                "end_by_uptime",
                1,
                (now, call) -> now.after(call.number(0)).uptimeMillis());
        functions.add(
                connection,
                "end_by_wall_clock",
                1,
                (now, call) -> now.after(call.number(0)).wallMillis());
        functions.add(connection, "remaining", 4, (now, call) -> now.remainingMillis(call.leaseEnd()));
        functions.add(
                connection, "outlasts", 5, (now, call) -> now.outlasts(call.leaseEnd(), call.number(4)) ? 1L : 0L);
        return functions;
    }

    private void add(Connection connection, String name, int arguments, Body body) throws SQLException {
        Function.create(connection, name, new Call(body), arguments, 0);
    }

    /** Lets the next function call read the clock again. */
    void forgetReading() {
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

    /** The body of a function. Returns a number or a text. */
    @FunctionalInterface
    private interface Body {
        Object value(MachineTime now, Call call) throws SQLException;
    }

    /** A call of a function, with its arguments. */
    private final class Call extends Function {

        private final Body body;

        Call(Body body) {
            this.body = body;
        }

        @Override
        protected void xFunc() throws SQLException {
            Object value = body.value(now(), this);
            if (value instanceof String text) {
                result(text);
            } else {
                result((Long) value);
            }
        }

        long number(int argument) throws SQLException {
            return value_long(argument);
        }

        LeaseEnd leaseEnd() throws SQLException {
            return new LeaseEnd(value_text(0), value_long(1), value_long(2), value_long(3));
        }
    }
}
