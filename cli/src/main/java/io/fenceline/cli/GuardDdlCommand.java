package io.fenceline.cli;

import io.fenceline.jdbc.trigger.TriggerDialect;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fenceline guard ddl}: prints triggers and touches no database. */
@Command(
        description = {
            "Print the triggers that guard a table, to be read and run by yourself.",
            "%nRefused are INSERT, UPDATE and DELETE without a token, or with one that is stale or of another lock,"
                    + " whoever writes. No database is touched.",
            "%nA writer shows its token in its transaction. PostgreSQL: SELECT fenceline_stamp(34, 'nightly'). SQLite:"
                    + " INSERT INTO fenceline_stamp (token, lock_key) VALUES (34, 'nightly'), and DELETE FROM"
                    + " fenceline_stamp before COMMIT, with PRAGMA foreign_keys = ON."
        },
        customSynopsis = "Usage: fenceline guard ddl [OPTIONS] --dialect NAME --table T --key COLUMN",
        synopsisHeading = "",
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n",
        footer = {
            "%nExamples:",
            "  fenceline guard ddl --dialect postgresql --table orders --key id --observe",
            "  fenceline guard ddl --dialect sqlite --table orders --key id | sqlite3 app.db"
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class GuardDdlCommand implements Callable<Integer> {

    private final Fenceline root;

    @Option(names = "--dialect", required = true, paramLabel = "NAME", description = "postgresql or sqlite.")
    private String dialect;

    @Option(names = "--remove", description = "Print what ends the guarding of the table.")
    private boolean remove;

    @Mixin
    private GuardedTableOptions options = new GuardedTableOptions();

    GuardDdlCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        TriggerDialect triggers = TriggerDialect.named(dialect);
        String script = remove ? triggers.removal(options.table) : triggers.installation(options.table());
        PrintWriter out = root.surroundings().output();
        out.println("BEGIN;");
        out.print(script);
        out.println("COMMIT;");
        out.flush();
        return ExitCode.OK;
    }
}
