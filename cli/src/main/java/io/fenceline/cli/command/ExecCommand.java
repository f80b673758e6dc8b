package io.fenceline.cli.command;

import io.fenceline.LockKey;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.process.CommandStartException;
import io.fenceline.cli.run.AcquireOptions;
import io.fenceline.cli.run.LeaseOptions;
import io.fenceline.cli.run.LockRun;
import io.fenceline.cli.run.LockedCommand;
import io.fenceline.cli.run.StopOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fenceline exec}: runs a command under a lock. */
@Command(
        description = {
            "Run a command while holding a lock.",
            "%nWaits for lock KEY, runs CMD, and releases the lock when CMD ends. The lease is renewed while CMD runs. If"
                    + " the lease is lost, CMD's process group is stopped before another holder can acquire the lock, unless"
                    + " 'release --force' let it in.",
            "%nHUP, INT and TERM are passed on to CMD's process group; fenceline ends when CMD does, and keeps the lock"
                    + " until then. A CMD that ignores them goes on. QUIT (Ctrl-\\) is not passed on: at that Java prints its"
                    + " state to standard error. CMD begins with QUIT blocked.",
            "%nCMD's environment contains FENCELINE_TOKEN (the fencing token, 15 digits; pass it to the guard of the"
                    + " data), FENCELINE_KEY, FENCELINE_LOCK_ID and FENCELINE_BACKEND, the last without a password from"
                    + " --backend. CMD inherits standard input and output, but no controlling terminal: what asks at"
                    + " /dev/tty, as sudo and ssh do, cannot. fenceline itself prints only errors."
        },
        customSynopsis = "Usage: fenceline exec [OPTIONS] KEY -- CMD [ARG...]",
        exitCodeList = {
            "CMD's own:CMD ended by itself",
            "128+n:signal n ended CMD, or fenceline while it waited",
            "1, or -E CODE:the lock was not acquired; CMD was not run",
            "121:a resource of --claim refused the token; CMD was not run",
            "122:the lease was lost before CMD ended; CMD was stopped",
            "126:CMD cannot be executed",
            "127:CMD was not found",
            "64:wrong arguments",
            "68:the host of the store is unknown",
            "69:the store is unreachable or unusable",
            "70:corrupt or unexpected data in the store, or an internal error",
            "71:a process cannot be started, or a file or the output not written",
            "73:the disk of the store is full",
            "74:timeout of the store",
            "75:the store aborted the operation; retry",
            "76:the store is over its capacity",
            "77:the store refused access: password or privilege",
            "78:wrong database or TLS mode, or missing or foreign tables in the store"
        },
        footer = {
            "%nExamples:",
            "  fenceline exec nightly -- ./report.sh",
            "  fenceline exec -w 2.5 deploy -- sh -c 'echo \"I am holder $FENCELINE_TOKEN\"'",
            "  fenceline exec -n -E 0 --at-least 30s nightly -- ./report.sh",
            "  fenceline exec -n -E 0 --ttl 2m sync -- rsync -a src dst",
            "  fenceline exec --claim orders/42 order:42 -- ./ship.sh 42"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class ExecCommand implements Callable<Integer> {

    private final CommandContext context;

    @Spec
    private CommandSpec spec;

    @Mixin
    public final AcquireOptions acquire = new AcquireOptions();

    @Option(
            names = "--at-least",
            paramLabel = "DURATION",
            description =
                    "Keep the lock for at least DURATION from its grant, also if CMD ends sooner or fails; 'ls' shows its"
                            + " holder until then. For a job that several machines schedule: longer than their clocks and"
                            + " start-up times differ, shorter than the interval. After a crash the ttl decides."
                            + " Default: release the lock when CMD ends.")
    public Duration atLeast = Duration.ZERO;

    @Mixin
    public final StopOptions stop = new StopOptions();

    @Parameters(
            index = "0",
            paramLabel = "KEY",
            description = "The lock: any text of up to 512 bytes. One that begins with a hyphen needs -- before it:"
                    + " exec -- -x -- CMD.")
    public LockKey key;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            hideParamSyntax = true,
            paramLabel = "CMD [ARG...]",
            description = "The command and its arguments.")
    public List<String> words = List.of();

    public ExecCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        words = DoubleDash.command(spec, "exec KEY", key.value(), words);
        return run();
    }

    /** Runs the command and returns the exit code. */
    public int run() throws Exception {
        LeaseOptions.requireShort("--at-least", atLeast);
        Duration grace = stop.grace(acquire.lease.ttl());
        LockedCommand run = new LockedCommand(words, grace, context);
        try {
            run.requireProgram();
            return new LockRun(context, acquire, key).run(grace, atLeast, run, run);
        } catch (CommandStartException e) {
            throw new CommandFailure(e.exitStatus(), String.valueOf(e.getMessage()), e);
        }
    }
}
