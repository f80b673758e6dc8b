package io.fenceline.cli.context;

import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ErrorOutput;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SchemaControl;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/** State shared by all commands: environment, error output, and the backend that {@code --backend} names. */
public final class CommandContext {

    /** The environment variable that has the effect of {@code --debug}, and enables the logs of libraries. */
    public static final String DEBUG = "FENCELINE_DEBUG";

    private static final Pattern TABLE = Pattern.compile("CREATE TABLE", Pattern.CASE_INSENSITIVE);
    private static final String SHARED_LAYOUT = "layout=syncguard";
    private static final String FENCES_ELSEWHERE =
            "; fences are kept beside Fenceline's own tables: remove " + SHARED_LAYOUT + " from the URI";

    private final ProcessEnvironment environment;
    private final ErrorOutput errors;

    @Option(
            names = "--backend",
            paramLabel = "URI",
            scope = ScopeType.INHERIT,
            description = "The store, for instance sqlite:/var/lib/app/locks.db, postgresql://user@host/db,"
                    + " mariadb://user@host/db or redis://host:6379. Passwords are best left to PGPASSWORD, ~/.pgpass,"
                    + " MYSQL_PWD or REDISCLI_AUTH."
                    + " Default: $$FENCELINE_BACKEND, or else a SQLite file in the user's data folder.")
    private @Nullable String backend;

    @Option(
            names = "--debug",
            scope = ScopeType.INHERIT,
            description = "Print the stack traces of errors. $$FENCELINE_DEBUG=1 does the same, and prints the logs of"
                    + " libraries.")
    private boolean debug;

    public CommandContext(ProcessEnvironment environment) {
        this.environment = environment;
        this.errors = new ErrorOutput(
                environment.errors(),
                () -> debug || !environment.variable(DEBUG).isEmpty());
    }

    public ProcessEnvironment environment() {
        return environment;
    }

    /** Standard output. */
    public PrintWriter output() {
        return environment.output();
    }

    public ErrorOutput errors() {
        return errors;
    }

    /** Sets the value of {@code --backend}. */
    public void backend(String uri) {
        backend = uri;
    }

    /** The value of {@code --backend}; null if the option was not given. */
    public @Nullable String backend() {
        return backend;
    }

    /** The store of this command: the option's, else the environment's, else the user's default. */
    public StoreUri store() {
        return StoreUri.chosen(backend, environment);
    }

    /** Opens the store; the caller closes it. */
    public LockBackend open() {
        return store().open();
    }

    /** Lists and administers locks; fails with exit code 64 if this store cannot. */
    public LockCatalog locks(LockBackend opened) {
        return require(opened, LockCatalog.class, "cannot list its locks or show their tokens", "");
    }

    /** Lists and administers fences; fails with exit code 64 if this store keeps none. */
    public FenceCatalog fences(LockBackend opened) {
        return require(opened, FenceCatalog.class, "keeps no fences", fencesElsewhere());
    }

    /** Installs triggers; fails with exit code 64 if this store has none. */
    public TriggerControl triggers(LockBackend opened) {
        return require(opened, TriggerControl.class, "cannot guard tables by triggers", fencesElsewhere());
    }

    /** An optional ability of the store; fails with exit code 64 if it lacks it. */
    public <T> T require(LockBackend opened, Class<T> type, String problem, String hint) {
        return opened.ability(type)
                .orElseThrow(() -> new CommandFailure(ExitCode.USAGE, "'" + store() + "' " + problem + hint));
    }

    /** Not on Redis, which keeps fences in every layout. */
    private String fencesElsewhere() {
        String uri = store().toString();
        return isSharedLayout() && !uri.startsWith("redis") ? FENCES_ELSEWHERE : "";
    }

    private boolean isSharedLayout() {
        return store().toString().contains(SHARED_LAYOUT);
    }

    /** Prints a note if tables of the store are missing, which explains why a command found nothing. */
    public void noteMissingTables(LockBackend opened) {
        opened.ability(SchemaControl.class).ifPresent(schema -> {
            List<String> missing = schema.schemaProblems().stream()
                    .filter(problem -> problem.endsWith(" is missing"))
                    .toList();
            if (!missing.isEmpty()) {
                errors.print("note: " + missingTables(schema, missing));
            }
        });
    }

    private String missingTables(SchemaControl schema, List<String> missing) {
        String first = missing.get(0);
        if (isSharedLayout()) { // no lock creates those
            return first + "; check that table= and fences= in the URI are SyncGuard's tableName and fenceTableName";
        }
        boolean all = missing.contains("the database is missing")
                || missing.size()
                        >= TABLE.matcher(schema.schemaScript()).results().count();
        return (all ? "the store has no tables yet (" : "some tables of the store are missing (") + first
                + "); the first lock creates them, or 'fenceline schema install'"
                + (all ? "" : "; existing tables are kept");
    }

    /** Prints a record of an administrator's action if the store keeps none. */
    public void recordUnlessKept(LockCatalog catalog, String action) {
        if (!catalog.keepsRecords()) {
            errors.print("this store keeps no record of it, so keep this line: "
                    + Instant.now().truncatedTo(ChronoUnit.SECONDS) + " " + DefaultHolder.of(environment) + " "
                    + action);
        }
    }
}
