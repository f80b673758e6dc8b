package io.fenceline.cli.command;

import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.ResultOutput;
import io.fenceline.cli.run.AcquireOptions;
import io.fenceline.cli.run.LockRun;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fenceline hold}: holds a lock until standard input ends. */
@Command(
        description = {
            "Hold a lock until standard input ends.",
            "%nWaits for lock KEY and prints its token and lock id. Releases the lock when standard input ends, or on a"
                    + " signal such as Ctrl-C. Background jobs of scripts, cron and services have no standard input:"
                    + " there --for or --until-signal has to say how long, and standard input is not read."
        },
        customSynopsis = "Usage: fenceline hold [OPTIONS] KEY",
        exitCodeList = {
            "0:released at the end of standard input or after DURATION of --for",
            "128+n:ended by signal n",
            "1, or -E CODE:the lock was not acquired",
            "121:a resource of --claim refused the token",
            "122:the lease was lost",
            "others:see 'fenceline exec --help'"
        },
        footer = {
            "%nExamples:",
            "  fenceline hold maintenance --for 10m &",
            "  fenceline hold maintenance --until-signal &",
            "  fenceline hold release --json"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class HoldCommand implements Callable<Integer> {

    /** The time for standard input to be found at its end before the lock is asked for; it is looked at again once that is held. */
    private static final Duration LOOK = Duration.ofMillis(100);

    private final CommandContext context;

    @Mixin
    private AcquireOptions acquire = new AcquireOptions();

    @Mixin
    private ResultOutput output = new ResultOutput();

    @Option(
            names = "--for",
            paramLabel = "DURATION",
            description = "Release the lock after DURATION; seconds unless it has a unit.")
    private @Nullable Duration time;

    @Option(
            names = "--until-signal",
            description = "Hold the lock until a signal ends this process: for scripts, cron and services.")
    private boolean untilSignal;

    @Parameters(paramLabel = "KEY", description = "The lock: any text of up to 512 bytes.")
    private LockKey key;

    public HoldCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        if (untilSignal && time != null) {
            throw new CommandFailure(ExitCode.USAGE, "--for and --until-signal are mutually exclusive");
        }
        CountDownLatch end = new CountDownLatch(1);
        boolean readsInput = time == null && !untilSignal;
        InputEnd input = readsInput ? InputEnd.of(context.environment().input(), end::countDown) : null;
        requireOpen(input, LOOK);
        return new LockRun(context, acquire, key).run(Duration.ZERO, Duration.ZERO, event -> {}, lease -> {
            requireOpen(input, Duration.ZERO);
            return hold(lease, end);
        });
    }

    private int hold(Lease lease, CountDownLatch end) throws InterruptedException, IOException {
        output.one(
                context.output(),
                List.of(
                        OutputField.of("key", "key", lease.key().value()),
                        OutputField.of("token", "token", lease.token().text()),
                        OutputField.of(
                                "lockId", "lock id", lease.grant().lockId().text()),
                        OutputField.of(
                                "holder", "holder", lease.grant().holder().text())));
        if (context.output().checkError()) {
            return ExitCode.SYSTEM; // nobody knows the token
        }
        lease.lost().thenAccept(loss -> end.countDown());
        if (time == null) {
            end.await();
        } else {
            end.await(time.toNanos(), TimeUnit.NANOSECONDS);
        }
        return ExitCode.OK;
    }

    /** Refuses an input that has ended: a script's background job, cron and systemd give none, and would hold nothing. */
    private static void requireOpen(@Nullable InputEnd input, Duration time) throws InterruptedException {
        if (input != null && input.comesWithin(time)) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    "standard input has ended already, so the lock would be released at once; say how long to hold it:"
                            + " --for DURATION or --until-signal");
        }
    }
}
