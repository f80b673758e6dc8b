package io.fenceline.cli.command;

import io.fenceline.Holder;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.context.DefaultHolder;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.process.CommandStartException;
import io.fenceline.cli.run.ElectRun;
import io.fenceline.cli.run.ElectedCommand;
import io.fenceline.cli.run.LeaseOptions;
import io.fenceline.cli.run.StopOptions;
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

/** {@code fenceline elect}: joins an election and runs a command while leading. */
@Command(
        description = {
            "Run a command while leading a group.",
            "%nJoins the election of the leader of GROUP, and runs CMD while leading. When leadership ends, CMD's process"
                    + " group is stopped before another candidate can be elected, unless 'release --force' let it in, and this"
                    + " candidate rejoins.",
            "%nWhen CMD ends by itself, the candidate steps down, lets others go first for one ttl, and rejoins; with"
                    + " --once, fenceline ends. HUP, INT or TERM stops CMD (by SIGTERM, then SIGKILL after --kill-after),"
                    + " releases leadership and ends fenceline. If the store is down, elect retries: for up to 30s at the"
                    + " start, later without a limit. It ends if the user lacks a right for the first attempt to lead.",
            "%nCMD's environment contains FENCELINE_TOKEN (the term, a fencing token of 15 digits; pass it to the guard of"
                    + " the data), FENCELINE_KEY (election:GROUP), FENCELINE_LOCK_ID and FENCELINE_BACKEND, the last"
                    + " without a password from --backend. CMD inherits standard input and output; fenceline itself prints"
                    + " only errors."
        },
        customSynopsis = "Usage: fenceline elect [OPTIONS] GROUP -- CMD [ARG...]",
        exitCodeList = {
            "CMD's own:with --once, CMD ended by itself; 128+n if signal n ended it",
            "128+n:fenceline was ended by signal n",
            "121:a resource of --claim refused the term; CMD was not run",
            "126:CMD cannot be executed",
            "127:CMD was not found",
            "others:see 'fenceline exec --help'"
        },
        footer = {
            "%nExamples:",
            "  fenceline elect scheduler -- ./scheduler.sh",
            "  fenceline elect --ttl 10s --candidate node-3 billing -- ./billing",
            "  fenceline elect --hesitate 5s billing -- ./billing    (second choice)",
            "  fenceline elect --once migration -- ./migrate.sh"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class ElectCommand implements Callable<Integer> {

    private final CommandContext context;

    @Spec
    private CommandSpec spec;

    @Mixin
    private LeaseOptions lease = new LeaseOptions();

    @Mixin
    private StopOptions stop = new StopOptions();

    @Option(
            names = "--candidate",
            paramLabel = "NAME",
            description = "Name of this candidate, shown by 'leaders'. Default: USER@HOST:PID.")
    private @Nullable Holder candidate;

    @Option(
            names = "--hesitate",
            paramLabel = "DURATION",
            description = "Wait until there has been no leader for DURATION before trying to lead, so that candidates"
                    + " with a shorter one go first; seconds unless it has a unit. A leader is never displaced."
                    + " Default: 0s.")
    private Duration hesitation = Duration.ZERO;

    @Option(
            names = "--once",
            description = "When CMD ends by itself, end with its exit code. If it was stopped, run it again in the next"
                    + " term.")
    private boolean once;

    @Parameters(
            index = "0",
            paramLabel = "GROUP",
            description =
                    "The group: any text of up to 503 bytes. Its leader holds lock election:GROUP. One that begins with a"
                            + " hyphen needs -- before it: elect -- -x -- CMD.")
    private String group;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            hideParamSyntax = true,
            paramLabel = "CMD [ARG...]",
            description = "The command and its arguments.")
    private List<String> words = List.of();

    public ElectCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws Exception {
        List<String> command = DoubleDash.command(spec, "elect GROUP", group, words);
        Election.keyOf(group);
        Duration grace = stop.grace(lease.ttl());
        Holder name = candidate == null ? DefaultHolder.of(context.environment()) : candidate;
        ElectedCommand elected = new ElectedCommand(command, grace, once, lease.ttl(), context);
        try {
            elected.requireProgram();
            return new ElectRun(context, lease, grace).run(group, new Candidate(name, hesitation), elected);
        } catch (CommandStartException e) {
            throw new CommandFailure(e.exitStatus(), String.valueOf(e.getMessage()), e);
        }
    }
}
