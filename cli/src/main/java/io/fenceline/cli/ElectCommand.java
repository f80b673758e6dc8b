package io.fenceline.cli;

import io.fenceline.Holder;
import io.fenceline.cli.process.CommandException;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fenceline elect}: takes part in an election and runs a command while it leads. */
@Command(
        description = {
            "Run a command while leading a group.",
            "%nTakes part in the election of the leader of GROUP, and runs CMD while it leads. When its leadership ends,"
                    + " CMD's whole process group is stopped before another can be elected, and it takes part again.",
            "%nWhen CMD ends by itself, the candidate steps down, lets the others go first for one ttl, and takes part"
                    + " again; with --once, fenceline ends. HUP, INT or TERM stops CMD (by SIGTERM, and SIGKILL after"
                    + " --kill-after), lets the others in and ends fenceline. An outage of the store is waited for, but not"
                    + " for more than 30s at the start.",
            "%nCMD finds in its environment FENCELINE_TOKEN (the term, a fencing token of 15 digits; hand it to whatever"
                    + " guards the data), FENCELINE_KEY (election:GROUP), FENCELINE_LOCK_ID and FENCELINE_BACKEND, the last"
                    + " without a password that came with --backend. Its input and output are those of fenceline, which"
                    + " itself prints nothing but errors."
        },
        customSynopsis = "Usage: fenceline elect [OPTIONS] GROUP -- CMD [ARG...]",
        synopsisHeading = "",
        descriptionHeading = "%n",
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "CMD's own:with --once, CMD ended by itself; 128+n if signal n ended it",
            "128+n:signal n ended fenceline",
            "121:a resource of --claim refused the term; CMD was not run",
            "126:CMD cannot be executed",
            "127:there is no CMD",
            "others:as 'fenceline exec --help' lists them"
        },
        footer = {
            "%nExamples:",
            "  fenceline elect scheduler -- ./scheduler.sh",
            "  fenceline elect --ttl 10s --candidate node-3 billing -- ./billing",
            "  fenceline elect --hesitate 5s billing -- ./billing    (the second choice)",
            "  fenceline elect --once migration -- ./migrate.sh"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ElectCommand implements Callable<Integer> {

    private final Fenceline root;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LeaseOptions lease = new LeaseOptions();

    @Mixin
    private StopOptions stop = new StopOptions();

    @Option(
            names = "--candidate",
            paramLabel = "NAME",
            description = "The name of this candidate, for people. Default: USER@HOST:PID.")
    private @Nullable Holder candidate;

    @Option(
            names = "--hesitate",
            paramLabel = "DURATION",
            description = "Ask to lead only when the group was without a leader for so long, so that candidates which"
                    + " hesitate less go first. A leader is never driven out. Default: 0s.")
    private Duration hesitation = Duration.ZERO;

    @Option(
            names = "--once",
            description =
                    "When CMD ends by itself, end with its exit code. If it was stopped, it is run again in the next"
                            + " term.")
    private boolean once;

    @Parameters(
            index = "0",
            paramLabel = "GROUP",
            description = "What is led: any text of up to 503 bytes. Its leader holds the lock election:GROUP.")
    private String group;

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "CMD", description = "The command and its arguments.")
    private List<String> words = List.of();

    ElectCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() throws Exception {
        Separator.require(spec, "elect " + group, words);
        Election.keyOf(group);
        Duration grace = stop.grace(lease.ttl());
        Holder name = candidate == null ? Caller.of(root.surroundings()) : candidate;
        Terms terms = new Terms(words, grace, once, lease.ttl(), root);
        try {
            terms.requireProgram();
            return new TakingPart(root, lease, grace).run(group, new Candidate(name, hesitation), terms);
        } catch (CommandException e) {
            throw new CommandFailure(e.exitStatus(), String.valueOf(e.getMessage()), e);
        }
    }
}
