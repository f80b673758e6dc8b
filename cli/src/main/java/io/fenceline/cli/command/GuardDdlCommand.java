package io.fenceline.cli.command;

import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.jdbc.trigger.TriggerDialect;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fenceline guard ddl}: prints the triggers that guard a table. */
@Command(
        description = {
            "Print the triggers that guard a table, for you to review and run.",
            "%nThe triggers refuse INSERT, UPDATE and DELETE without a token, or with a stale token or one of another lock,"
                    + " from any client. This command does not access the database.",
            "%nA writer presents its token in its transaction. PostgreSQL: SELECT fenceline_stamp(34, 'nightly'). SQLite:"
                    + " INSERT INTO fenceline_stamp (token, lock_key) VALUES (34, 'nightly'), and DELETE FROM"
                    + " fenceline_stamp before COMMIT, with PRAGMA foreign_keys = ON.",
            "%nThe script for SQLite begins with '.bail on', so that the sqlite3 shell stops at a table that cannot be guarded."
                    + " For other tools remove that line, and let them stop at the first error."
        },
        customSynopsis = "Usage: fenceline guard ddl [OPTIONS] --dialect NAME --table T --key COLUMN",
        footer = {
            "%nExamples:",
            "  fenceline guard ddl --dialect postgresql --table orders --key id --observe",
            "  fenceline guard ddl --dialect sqlite --table orders --key id | sqlite3 app.db"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class GuardDdlCommand implements Callable<Integer> {

    private final CommandContext context;

    @Option(names = "--dialect", required = true, paramLabel = "NAME", description = "postgresql or sqlite.")
    private String dialect;

    @Option(names = "--remove", description = "Print the statements that remove the triggers.")
    private boolean remove;

    @Option(
            names = "--fences",
            paramLabel = "TABLE",
            description =
                    "The table with the fences and its schema, as in app.fenceline_fences: the one that your programs use."
                            + " PostgreSQL only. Default: public.fenceline_fences.")
    @Nullable
    private String fences;

    @Mixin
    private GuardedTableOptions options = new GuardedTableOptions();

    GuardDdlCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        TriggerDialect named = TriggerDialect.named(dialect);
        TriggerDialect triggers = fences == null ? named : named.withFences(fences);
        String statements = remove ? triggers.removal(options.table) : triggers.installation(options.table());
        PrintWriter out = context.output();
        out.print(triggers.script(statements));
        out.flush();
        return ExitCode.OK;
    }
}
