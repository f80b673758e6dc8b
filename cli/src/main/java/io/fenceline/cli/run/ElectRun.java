package io.fenceline.cli.run;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.Locks;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.DurationText;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.ElectionBuilder;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.TimeSource;
import java.time.Duration;
import java.util.function.BiConsumer;

/** One run of {@code elect}: opens the backend, joins the election, and leaves it when the command ends for good. */
public final class ElectRun {

    /** The longest outage at the start. Later ones do not end the candidacy. */
    private static final Duration LONGEST_OUTAGE = OutageLimit.within(Duration.ofDays(1));

    private final CommandContext context;
    private final LeaseOptions lease;
    private final Duration stopping;

    public ElectRun(CommandContext context, LeaseOptions lease, Duration stopping) {
        this.context = context;
        this.lease = lease;
        this.stopping = stopping;
    }

    /** Runs the command in each term and returns the exit code. A signal that ends this JVM ends the candidacy first. */
    public int run(String group, Candidate candidate, ElectedCommand command) throws Exception {
        return ShutdownInterrupt.during(stopping, shutdown -> run(shutdown, group, candidate, command));
    }

    private int run(ShutdownInterrupt shutdown, String group, Candidate candidate, ElectedCommand command)
            throws Exception {
        WaitNotice notice = WaitNotice.start(context, lease.verbose);
        BiConsumer<BackendException, Duration> onOutage = (failure, retried) -> {
            notice.storeIsKnown();
            context.errors().outage(retried, failure);
        };
        try (notice;
                LockBackend opened = OpenRetry.open(context.store(), LONGEST_OUTAGE, TimeSource.system(), onOutage);
                OutageReporter reported =
                        new OutageReporter(opened, context.errors(), shutdown::hasBegun, command::endWith);
                LockBackend backend = observed(notice, reported, group);
                Locks locks = Locks.builder(backend)
                        .listener(command)
                        .onReleaseError((stamp, e) -> {
                            if (!command.hasLost(stamp)) {
                                printReleaseFailure(group, e);
                            }
                        })
                        .build()) {
            ElectionBuilder builder = Election.of(locks, group)
                    .candidate(candidate)
                    .ttl(lease.ttl())
                    .safetyMargin(lease.safetyMargin(stopping));
            if (!lease.claims.isEmpty()) {
                builder.claims(
                        command.endingOnRefusal(context.fences(backend).guard(), reported),
                        lease.claimed().toArray(String[]::new));
            }
            shutdown.throwIfBegun();
            Election election = builder.join(command);
            try {
                return command.awaitEnd();
            } finally {
                election.close();
            }
        } catch (BackendException e) {
            if (e.effect() == Effect.NONE) {
                shutdown.throwIfBegun(); // a driver that starts while the JVM shuts down fails, which needs no message
            }
            throw e;
        }
    }

    private LockBackend observed(WaitNotice notice, LockBackend opened, String group) {
        notice.storeIsKnown();
        return notice.observing(opened, "leadership of '" + group + "', held");
    }

    private void printReleaseFailure(String group, RuntimeException e) {
        String until = DurationText.of(lease.ttl());
        context.errors()
                .print(
                        "leadership of '" + group + "' was not released; it expires within " + until + ": "
                                + e.getMessage(),
                        e);
    }
}
