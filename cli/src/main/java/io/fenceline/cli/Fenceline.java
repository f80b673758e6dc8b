package io.fenceline.cli;

import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SchemaControl;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code fenceline} command: what its subcommands have in common. */
@Command(
        name = "fenceline",
        description = "Locks among the processes of a machine or a network, whose stale holders cannot write.",
        synopsisHeading = "",
        customSynopsis = "Usage: fenceline [OPTIONS] COMMAND ...",
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        commandListHeading = "",
        exitCodeList = {
            "0:done",
            "1:no: not acquired, not held, nothing to release",
            "64:wrong arguments",
            "69:the store cannot be reached or used",
            "121:a guarded resource refused the token",
            "122:the lease was lost while it was held",
            "others:'fenceline exec --help' lists them all"
        },
        footer = {
            "%nExamples:",
            "  fenceline exec nightly -- ./report.sh      run a script under a lock",
            "  fenceline exec -n -E 0 sync -- ./sync.sh   skip it if it is running",
            "  fenceline ls                               see who holds what",
            "%n'fenceline COMMAND --help' explains one command."
        },
        versionProvider = Version.class)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class Fenceline implements Callable<Integer> {

    private static final Pattern TABLE = Pattern.compile("CREATE TABLE", Pattern.CASE_INSENSITIVE);

    /** The environment variable that does what {@code --debug} does, and has libraries log as well. */
    private static final String DEBUG = "FENCELINE_DEBUG";

    /** What the JVM makes of bytes that the locale's encoding lacks: different keys would become one. */
    private static final char UNDECODABLE = '\ufffd';

    private static final String SHARED_LAYOUT = "layout=syncguard";

    private static final String FENCES = "; fences are kept beside Fenceline's own tables: leave " + SHARED_LAYOUT
            + " out of the URI, and name tables of your own";

    private final Surroundings surroundings;
    private final Complaints complaints;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--backend",
            paramLabel = "URI",
            scope = ScopeType.INHERIT,
            description = "The store, for instance sqlite:/var/lib/app/locks.db, postgresql://user@host/db,"
                    + " mariadb://user@host/db or redis://host:6379. Passwords are best left to PGPASSWORD, ~/.pgpass,"
                    + " MYSQL_PWD or REDISCLI_AUTH."
                    + " Default: $$FENCELINE_BACKEND, or else a SQLite file in the user's data folder.")
    @Nullable
    String backend;

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description =
                    "Print the stack traces of errors. $$FENCELINE_DEBUG=1 does the same, and shows what libraries log.")
    private boolean debug;

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

    Fenceline(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.complaints = new Complaints(surroundings.errors(), this::isDebugging);
    }

    /**
     * Runs the command and ends the JVM with its exit code.
     *
     * @param arguments the words after {@code fenceline}
     */
    public static void main(String[] arguments) {
        int exitCode = ExitCode.INTERNAL; // a JVM that fails ends with 1, which says that the lock is taken
        try {
            Surroundings surroundings = Surroundings.ofThisProcess();
            NoLogging.joinDrivers();
            if (surroundings.variable(DEBUG).isEmpty()) {
                NoLogging.install();
            }
            exitCode = run(surroundings, arguments);
        } catch (Throwable e) {
            System.err.println("fenceline: a fault in fenceline itself: " + e);
        } finally {
            System.exit(exitCode);
        }
    }

    /** Runs the command and answers its exit code. */
    static int run(Surroundings surroundings, String... arguments) {
        Fenceline root = new Fenceline(surroundings);
        int exitCode;
        try {
            exitCode = root.run(arguments);
        } catch (Error e) { // out of memory, threads or files, for instance
            return root.complaints.fault(e);
        }
        if (!surroundings.output().checkError()) {
            return exitCode;
        }
        root.complaints.tell("standard output cannot be written; is the disk full?");
        return exitCode == ExitCode.OK ? ExitCode.SYSTEM : exitCode;
    }

    private int run(String... arguments) {
        for (String argument : arguments) {
            if (argument.indexOf(UNDECODABLE) >= 0) {
                complaints.tell("'" + argument + "' is not text in this locale; run it with LC_ALL=C.UTF-8");
                return ExitCode.USAGE;
            }
        }
        ExecCommand exec = PlainExec.parse(this, arguments);
        if (exec == null) {
            return CommandTree.lineFor(surroundings, arguments).execute(arguments);
        }
        try {
            return exec.run();
        } catch (Exception e) {
            return complaints.failed(e);
        }
    }

    /** Without a command there is nothing to do but to say what there is. */
    @Override
    public Integer call() {
        spec.commandLine().usage(surroundings.errors());
        return ExitCode.USAGE;
    }

    /** What the command sees of the process that runs it. */
    Surroundings surroundings() {
        return surroundings;
    }

    /** Where the command tells what went wrong. */
    Complaints complaints() {
        return complaints;
    }

    private boolean isDebugging() {
        return debug || !surroundings.variable(DEBUG).isEmpty();
    }

    /** The store that the command is to use. */
    StoreAddress store() {
        return StoreAddress.chosen(backend, surroundings);
    }

    /** Opens the store that the command is to use; the caller closes it. */
    LockBackend open() {
        return store().open();
    }

    /** Tells a user whose command found nothing if the store has not been made yet, or not all of it, as one of an older version. */
    void tellOfMissingStore(LockBackend backend) {
        backend.ability(SchemaControl.class).ifPresent(schema -> {
            List<String> missing = schema.schemaProblems().stream()
                    .filter(problem -> problem.endsWith(" is missing"))
                    .toList();
            if (missing.isEmpty()) {
                return;
            }
            if (store().toString().contains(SHARED_LAYOUT)) { // no lock makes those
                complaints.tell("note: " + missing.get(0)
                        + "; check that table= and fences= in the URI are SyncGuard's tableName and fenceTableName");
                return;
            }
            boolean all = missing.contains("the database is missing")
                    || missing.size()
                            >= TABLE.matcher(schema.schemaScript()).results().count();
            complaints.tell(
                    all
                            ? "note: the store is not made yet (" + missing.get(0)
                                    + "); the first lock makes it, or 'fenceline schema install'"
                            : "note: a part of the store is not made yet (" + missing.get(0)
                                    + "); the first lock makes it, or 'fenceline schema install'; what is there is kept");
        });
    }

    /** Tells what was done by hand where the store keeps no record of it. */
    void tellUnlessRecorded(LockCatalog catalog, String act) {
        if (!catalog.keepsRecords()) {
            complaints.tell("this store keeps no record, so keep this line: "
                    + Instant.now().truncatedTo(ChronoUnit.SECONDS) + " " + Caller.of(surroundings) + " " + act);
        }
    }

    /**
     * Returns what a store can do beyond granting locks.
     *
     * @throws CommandFailure if it cannot
     */
    <T> T ability(LockBackend backend, Class<T> type) {
        return backend.ability(type)
                .orElseThrow(() -> new CommandFailure(
                        ExitCode.USAGE,
                        "a store like '" + store() + "' has no " + type.getSimpleName() + ", which this needs"
                                + (isOfFences(type) && isSharedDatabase() ? FENCES : "")));
    }

    /** Not on Redis, where the fences are there in every layout. */
    private boolean isSharedDatabase() {
        String uri = store().toString();
        return uri.contains(SHARED_LAYOUT) && !uri.startsWith("redis");
    }

    private static boolean isOfFences(Class<?> type) {
        return type == FenceCatalog.class || type == TriggerControl.class;
    }
}
