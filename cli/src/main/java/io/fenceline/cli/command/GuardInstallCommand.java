package io.fenceline.cli.command;

import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.spi.LockBackend;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code fenceline guard install}: installs the triggers that guard a table. */
@Command(
        description = {
            "Install the triggers that guard a table of the store's database, as 'guard ddl' prints them.",
            "%nA second installation, with or without --observe, replaces the triggers and keeps all fences and counts."
        },
        customSynopsis = "Usage: fenceline guard install [OPTIONS] --table T --key COLUMN")
final class GuardInstallCommand implements Callable<Integer> {

    private final CommandContext context;

    @Mixin
    private GuardedTableOptions options = new GuardedTableOptions();

    GuardInstallCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        try (LockBackend backend = context.open()) {
            context.triggers(backend).install(options.table()).forEach(context.errors()::print);
            return ExitCode.OK;
        }
    }
}
