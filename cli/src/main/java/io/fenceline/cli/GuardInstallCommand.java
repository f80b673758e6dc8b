package io.fenceline.cli;

import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.spi.LockBackend;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code fenceline guard install}: guards a table of the store's database. */
@Command(
        description = {
            "Guard a table of the store's database by triggers, those that 'guard ddl' prints.",
            "%nInstalling again, also with --observe or without, replaces what is there and keeps all fences and counts."
        },
        customSynopsis = "Usage: fenceline guard install [OPTIONS] --table T --key COLUMN",
        synopsisHeading = "",
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n")
final class GuardInstallCommand implements Callable<Integer> {

    private final Fenceline root;

    @Mixin
    private GuardedTableOptions options = new GuardedTableOptions();

    GuardInstallCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() {
        try (LockBackend backend = root.open()) {
            root.ability(backend, TriggerControl.class).install(options.table());
            return ExitCode.OK;
        }
    }
}
