package io.fenceline.cli;

import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code fenceline ls}: lists running leases. */
@Command(
        description = "List the locks that are held.",
        customSynopsis = "Usage: fenceline ls [OPTIONS] [PREFIX]",
        synopsisHeading = "",
        descriptionHeading = "%n",
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n")
final class LsCommand implements Callable<Integer> {

    private final Fenceline root;

    @Mixin
    private ListOptions listing = new ListOptions();

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "What their keys start with.")
    private String prefix = "";

    LsCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        int asked = listing.asked();
        List<List<Fact>> rows = new ArrayList<>();
        try (LockBackend backend = root.open()) {
            for (LockRecord lease : root.ability(backend, LockCatalog.class).list(LockKey.prefix(prefix), asked)) {
                rows.add(LeaseFacts.of(lease));
            }
            if (rows.isEmpty()) {
                root.tellOfMissingStore(backend);
            }
        }
        listing.print(root, rows, "no lock is held");
        return ExitCode.OK;
    }
}
