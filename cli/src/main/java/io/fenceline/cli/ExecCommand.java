package io.fenceline.cli;

import io.fenceline.LockKey;
import io.fenceline.cli.process.CommandException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fenceline exec}: runs a command under a lock. */
@Command(
        description = {
            "Run a command while holding a lock.",
            "%nWaits for lock KEY, runs CMD, and releases the lock when CMD ends. Meanwhile the lease is renewed. If it is"
                    + " lost all the same, CMD's whole process group is stopped before anybody else can be granted the"
                    + " lock.",
            "%nCMD finds in its environment FENCELINE_TOKEN (the fencing token, 15 digits; hand it to whatever guards the"
                    + " data), FENCELINE_KEY, FENCELINE_LOCK_ID and FENCELINE_BACKEND, the last without a password that"
                    + " came with --backend. Its input and output are those of fenceline, which itself prints nothing but"
                    + " errors."
        },
        customSynopsis = "Usage: fenceline exec [OPTIONS] KEY -- CMD [ARG...]",
        synopsisHeading = "",
        descriptionHeading = "%n",
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "CMD's own:CMD ended by itself",
            "128+n:signal n ended CMD, or fenceline while it waited",
            "1, or -E CODE:the lock was not acquired; CMD was not run",
            "121:a resource of --claim refused the token; CMD was not run",
            "122:the lease was lost before CMD ended; CMD was stopped",
            "126:CMD cannot be executed",
            "127:there is no CMD",
            "64:wrong arguments",
            "69:the store cannot be reached or used",
            "70:the store's data or tables are not as they should be, or a fault of fenceline",
            "71:the system starts no process",
            "74:the store did not answer in time",
            "75:the store gave up; try again",
            "76:the store has no capacity left",
            "77:the store refused access"
        },
        footer = {
            "%nExamples:",
            "  fenceline exec nightly -- ./report.sh",
            "  fenceline exec -w 2.5 deploy -- sh -c 'echo \"I am holder $FENCELINE_TOKEN\"'",
            "  fenceline exec -n -E 0 --ttl 2m sync -- rsync -a src dst",
            "  fenceline exec --claim orders/42 order:42 -- ./ship.sh 42"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ExecCommand implements Callable<Integer> {

    private final Fenceline root;

    @Spec
    private CommandSpec spec;

    @Mixin
    final TakeOptions take = new TakeOptions();

    @Mixin
    final StopOptions stop = new StopOptions();

    @Parameters(index = "0", paramLabel = "KEY", description = "What to lock: any text of up to 512 bytes.")
    LockKey key;

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "CMD", description = "The command and its arguments.")
    List<String> words = List.of();

    ExecCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() throws Exception {
        Separator.require(spec, "exec " + key, words);
        return run();
    }

    /** Runs the command and answers what {@code exec} ends with. */
    int run() throws Exception {
        Duration grace = stop.grace(take.lease.ttl());
        LockedRun run = new LockedRun(words, grace, root);
        try {
            run.requireProgram();
            return new UnderLock(root, take, key).run(grace, run, run);
        } catch (CommandException e) {
            throw new CommandFailure(e.exitStatus(), String.valueOf(e.getMessage()), e);
        }
    }
}
