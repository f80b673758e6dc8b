package io.fenceline.cli.command;

import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.GuardedTable.Mode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a table guarded by triggers. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class GuardedTableOptions {

    @Option(
            names = "--table",
            required = true,
            paramLabel = "TABLE",
            description = "The table, as in SQL: orders, sales.orders, '\"Order lines\"'.")
    String table;

    @Option(
            names = "--key",
            split = ",",
            paramLabel = "COLUMN",
            description = "The column that identifies a row, usually the primary key; separate several by commas.")
    List<String> key = List.of();

    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            description = "Prefix of the resource names. Default: the table and a slash, as in orders/42.")
    @Nullable
    String prefix;

    @Option(names = "--observe", description = "Refuse nothing; count the writes that would be refused.")
    boolean observe;

    @Option(names = "--once", description = "Allow one change of a row for each grant.")
    boolean once;

    GuardedTable table() {
        if (key.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.USAGE, "--key is missing; give the column that identifies a row of " + table);
        }
        GuardedTable guarded = GuardedTable.of(table, key.toArray(String[]::new))
                .withMode(observe ? Mode.OBSERVE : Mode.ENFORCE)
                .withRule(once ? FenceRule.ONCE : FenceRule.AT_LEAST);
        return prefix == null ? guarded : guarded.withPrefix(prefix);
    }
}
