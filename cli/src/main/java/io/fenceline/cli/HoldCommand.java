package io.fenceline.cli;

import io.fenceline.Lease;
import io.fenceline.LockKey;
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

/** {@code fenceline hold}: takes a lock and keeps it until it is told to let go. */
@Command(
        description = {
            "Hold a lock until standard input ends.",
            "%nWaits for lock KEY, prints its token and lock id, and holds it until standard input ends, until DURATION is"
                    + " over (then standard input is not read), or until a signal such as Ctrl-C comes."
        },
        customSynopsis = "Usage: fenceline hold [OPTIONS] KEY",
        synopsisHeading = "",
        descriptionHeading = "%n",
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:held, and released at the end of standard input or of DURATION",
            "128+n:signal n came",
            "1, or -E CODE:the lock was not acquired",
            "121:a resource of --claim refused the token",
            "122:the lease was lost",
            "others:as 'fenceline exec --help' lists them"
        },
        footer = {"%nExamples:", "  fenceline hold maintenance --for 10m &", "  fenceline hold release --json"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class HoldCommand implements Callable<Integer> {

    private final Fenceline root;

    @Mixin
    private TakeOptions take = new TakeOptions();

    @Mixin
    private Output output = new Output();

    @Option(names = "--for", paramLabel = "DURATION", description = "Hold the lock for so long.")
    private @Nullable Duration time;

    @Parameters(paramLabel = "KEY", description = "What to lock: any text of up to 512 bytes.")
    private LockKey key;

    HoldCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() throws Exception {
        return new UnderLock(root, take, key).run(Duration.ZERO, event -> {}, this::hold);
    }

    private int hold(Lease lease) throws InterruptedException, IOException {
        output.one(
                root.surroundings().output(),
                List.of(
                        Fact.of("key", "key", lease.key().value()),
                        Fact.of("fence", "token", lease.token().text()),
                        Fact.of("lockId", "lock id", lease.grant().lockId().text()),
                        Fact.of("holder", "holder", lease.grant().holder().text())));
        CountDownLatch end = new CountDownLatch(1);
        lease.lost().thenAccept(loss -> end.countDown());
        if (time != null) {
            end.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } else {
            whenEnded(root.surroundings().input(), end::countDown);
            end.await();
        }
        return ExitCode.OK;
    }

    /** On a thread of its own, which a signal or a loss leaves behind: a read of standard input cannot be interrupted. */
    private static void whenEnded(InputStream input, Runnable reaction) {
        Thread reader = new Thread(
                () -> {
                    try (input) {
                        input.transferTo(OutputStream.nullOutputStream());
                    } catch (IOException unreadable) {
                        // as good as ended
                    }
                    reaction.run();
                },
                "standard-input");
        reader.setDaemon(true);
        reader.start();
    }
}
