package io.fenceline.cli;

import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.spi.LockBackend;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fenceline guard remove}: ends the guarding of a table. */
@Command(
        description = "Remove the triggers of a table. Its fences and counts stay.",
        customSynopsis = "Usage: fenceline guard remove [OPTIONS] --table T",
        synopsisHeading = "",
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n")
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class GuardRemoveCommand implements Callable<Integer> {

    private final Fenceline root;

    @Option(names = "--table", required = true, paramLabel = "TABLE", description = "The table as SQL writes it.")
    private String table;

    GuardRemoveCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        try (LockBackend backend = root.open()) {
            root.ability(backend, TriggerControl.class).remove(table);
            return ExitCode.OK;
        }
    }
}
