package io.fenceline.cli;

import io.fenceline.cli.command.ExecCommand;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.context.ProcessEnvironment;
import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.cli.output.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code fenceline} command: parses the arguments, runs a subcommand and maps failures to exit codes. */
@Command(
        name = "fenceline",
        description = "Locks for processes of one machine or of a network. Stale lock holders cannot write.",
        synopsisHeading = "",
        customSynopsis = "Usage: fenceline [OPTIONS] COMMAND ...",
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        commandListHeading = "",
        exitCodeList = {
            "0:success",
            "1:no: not acquired, not held, nothing to release",
            "64:wrong arguments",
            "69:the store is unreachable or unusable",
            "121:a guarded resource refused the token",
            "122:the lease was lost",
            "others:see 'fenceline exec --help'"
        },
        footer = {
            "%nExamples:",
            "  fenceline exec nightly -- ./report.sh      run a script under a lock",
            "  fenceline exec -n -E 0 sync -- ./sync.sh   skip it if it is already running",
            "  fenceline ls                               list held locks",
            "%n'fenceline COMMAND --help' explains one command."
        },
        versionProvider = Version.class)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class Fenceline implements Callable<Integer> {

    /** Replaces bytes that the locale's encoding lacks: different keys would become one. */
    private static final char UNDECODABLE = '\ufffd';

    @Mixin
    private final CommandContext context;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            scope = ScopeType.INHERIT,
            description = "Print this help.")
    @SuppressWarnings("unused") // picocli prints it
    private boolean help;

    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Print the version.")
    @SuppressWarnings("unused") // picocli prints it
    private boolean version;

    Fenceline(CommandContext context) {
        this.context = context;
    }

    /** Runs the command and ends the JVM with its exit code. */
    public static void main(String[] arguments) {
        int exitCode = ExitCode.INTERNAL; // a JVM that fails ends with 1, which would mean: the lock is taken
        try {
            ProcessEnvironment environment = ProcessEnvironment.ofThisProcess();
            SilentLogging.redirectDrivers();
            if (environment.variable(CommandContext.DEBUG).isEmpty()) {
                SilentLogging.install();
            }
            exitCode = run(environment, arguments);
        } catch (Throwable e) {
            System.err.println("fenceline: internal error: " + e);
        } finally {
            System.exit(exitCode);
        }
    }

    /** Runs the command and returns its exit code. */
    static int run(ProcessEnvironment environment, String... arguments) {
        CommandContext context = new CommandContext(environment);
        ErrorOutput errors = context.errors();
        int exitCode;
        try {
            exitCode = run(context, arguments);
        } catch (Error e) { // out of memory, threads or files, for instance
            return errors.internalError(e);
        }
        if (!environment.output().checkError()) {
            return exitCode;
        }
        errors.print("cannot write to standard output; is the disk full?");
        return exitCode < ExitCode.USAGE ? ExitCode.SYSTEM : exitCode; // what 1 or 2 would say, nobody has read
    }

    private static int run(CommandContext context, String... arguments) {
        for (String argument : arguments) {
            if (argument.indexOf(UNDECODABLE) >= 0) {
                context.errors()
                        .print("'" + argument + "' is not text in this locale; give UTF-8, under LC_ALL=C.UTF-8");
                return ExitCode.USAGE;
            }
        }
        ExecCommand exec = PlainExec.parse(context, arguments);
        if (exec == null) {
            return CommandTree.forArguments(context, arguments).execute(arguments);
        }
        try {
            return exec.run();
        } catch (Exception e) {
            return context.errors().failure(e);
        }
    }

    /** Prints the help: no command was given. */
    @Override
    public Integer call() {
        spec.commandLine().usage(context.environment().errors());
        return ExitCode.USAGE;
    }
}
