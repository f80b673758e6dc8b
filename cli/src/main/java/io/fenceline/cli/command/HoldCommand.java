package io.fenceline.cli.command;

import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.ResultOutput;
import io.fenceline.cli.run.AcquireOptions;
import io.fenceline.cli.run.LockRun;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
            "%nWaits for lock KEY and prints its token and lock id. Releases the lock when standard input ends, or after"
                    + " DURATION (standard input is then not read), or on a signal such as Ctrl-C."
        },
        customSynopsis = "Usage: fenceline hold [OPTIONS] KEY",
        exitCodeList = {
            "0:released at the end of standard input or after DURATION",
            "128+n:ended by signal n",
            "1, or -E CODE:the lock was not acquired",
            "121:a resource of --claim refused the token",
            "122:the lease was lost",
            "others:see 'fenceline exec --help'"
        },
        footer = {"%nExamples:", "  fenceline hold maintenance --for 10m &", "  fenceline hold release --json"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class HoldCommand implements Callable<Integer> {

    private final CommandContext context;

    @Mixin
    private AcquireOptions acquire = new AcquireOptions();

    @Mixin
    private ResultOutput output = new ResultOutput();

    @Option(names = "--for", paramLabel = "DURATION", description = "Release the lock after DURATION.")
    private @Nullable Duration time;

    @Parameters(paramLabel = "KEY", description = "The lock: any text of up to 512 bytes.")
    private LockKey key;

    public HoldCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        return new LockRun(context, acquire, key).run(Duration.ZERO, Duration.ZERO, event -> {}, this::hold);
    }

    private int hold(Lease lease) throws InterruptedException, IOException {
        output.one(
                context.output(),
                List.of(
                        OutputField.of("key", "key", lease.key().value()),
                        OutputField.of("token", "token", lease.token().text()),
                        OutputField.of(
                                "lockId", "lock id", lease.grant().lockId().text()),
                        OutputField.of(
                                "holder", "holder", lease.grant().holder().text())));
        CountDownLatch end = new CountDownLatch(1);
        lease.lost().thenAccept(loss -> end.countDown());
        if (time != null) {
            end.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } else {
            whenEnded(context.environment().input(), end::countDown);
            end.await();
        }
        return ExitCode.OK;
    }

    /** Reads on a daemon thread, because a read of standard input cannot be interrupted. */
    private static void whenEnded(InputStream input, Runnable reaction) {
        Thread reader = new Thread(
                () -> {
                    try (input) {
                        input.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException unreadable) {
                        // treated as its end
                    }
                    reaction.run();
                },
                "standard-input");
        reader.setDaemon(true);
        reader.start();
    }
}
