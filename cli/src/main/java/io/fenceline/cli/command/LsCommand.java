package io.fenceline.cli.command;

import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.RecordFields;
import io.fenceline.spi.LockBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code fenceline ls}: lists held locks. */
@Command(description = "List the locks that are held.", customSynopsis = "Usage: fenceline ls [OPTIONS] [PREFIX]")
public final class LsCommand implements Callable<Integer> {

    private final CommandContext context;

    @Mixin
    private ListOptions listing = new ListOptions();

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "List only keys that start with PREFIX.")
    private String prefix = "";

    public LsCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        int asked = listing.asked();
        List<List<OutputField>> rows = new ArrayList<>();
        try (LockBackend backend = context.open()) {
            for (LockRecord lease : context.locks(backend).list(LockKey.prefix(prefix), asked)) {
                rows.add(RecordFields.ofLease(lease));
            }
            if (rows.isEmpty()) {
                context.noteMissingTables(backend);
            }
        }
        listing.print(context, rows, "no lock is held");
        return ExitCode.OK;
    }
}
