package io.fenceline.cli;

import io.fenceline.guard.FenceRule;
import io.fenceline.jdbc.trigger.GuardedTable;
import io.fenceline.jdbc.trigger.GuardedTable.Mode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which table triggers guard, and how. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class GuardedTableOptions {

    @Option(
            names = "--table",
            required = true,
            paramLabel = "TABLE",
            description = "The table as SQL writes it: orders, sales.orders, '\"Order lines\"'.")
    String table;

    @Option(
            names = "--key",
            split = ",",
            paramLabel = "COLUMN",
            description = "The column that names a row, as a rule the primary key; several with commas between.")
    List<String> key = List.of();

    @Option(
            names = "--prefix",
            paramLabel = "TEXT",
            description = "What the resources' names start with. Default: the table and a slash, as in orders/42.")
    @Nullable
    String prefix;

    @Option(names = "--observe", description = "Refuse nothing, and count what would be refused.")
    boolean observe;

    @Option(names = "--once", description = "Let each grant change a row once.")
    boolean once;

    /**
     * The table.
     *
     * @throws CommandFailure if no key is named
     */
    GuardedTable table() {
        if (key.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.USAGE, "no --key was given; name the column that tells the rows of " + table + " apart");
        }
        GuardedTable guarded = GuardedTable.of(table, key.toArray(String[]::new))
                .withMode(observe ? Mode.OBSERVE : Mode.ENFORCE)
                .withRule(once ? FenceRule.ONCE : FenceRule.AT_LEAST);
        return prefix == null ? guarded : guarded.withPrefix(prefix);
    }
}
