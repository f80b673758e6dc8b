package io.fenceline.jdbc;

import io.fenceline.LockId;
import io.fenceline.jdbc.product.Database;
import io.fenceline.jdbc.product.SuccessionStatement;
import io.fenceline.jdbc.product.SuccessionStatement.Outcome;
import io.fenceline.jdbc.product.WaiterSignals;
import io.fenceline.jdbc.product.YieldPauses;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Succession;
import java.time.Duration;
import java.util.Optional;

/** Passes locks on within the process. */
final class JdbcSuccession implements Succession {

    private final Database database;
    private final SuccessionStatement statement;
    private final Optional<WaiterSignals> signals;
    private final YieldPauses pauses;

    JdbcSuccession(
            Database database, SuccessionStatement statement, Optional<WaiterSignals> signals, YieldPauses pauses) {
        this.database = database;
        this.statement = statement;
        this.signals = signals;
        this.pauses = pauses;
    }

    @Override
    public Turnover succeed(LockId last, AcquireRequest next, boolean yielding) {
        int listener = signals.map(WaiterSignals::listener).orElse(0);
        long heard = signals.map(known -> known.heard(next.key())).orElse(WaiterSignals.DEAF);
        Duration pause = pauses.next(next.key());
        Outcome outcome = database.change(connection -> statement.succeed(connection, last, next, yielding, listener));
        if (outcome.answer().isEmpty()) {
            pauses.yielded(next.key(), outcome.lastFence());
            signals.ifPresent(known -> known.yielded(next.key(), outcome.others(), pause));
        }
        Turnover turnover = outcome.turnover(pause);
        if (turnover.outcome() instanceof Acquisition.Contended) {
            signals.ifPresent(known -> known.refused(next.key(), next.lockId(), heard));
        }
        return turnover;
    }
}
