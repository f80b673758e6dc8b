package io.fenceline.cli;

import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.election.Election;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code fenceline leaders}: lists groups that have a leader. */
@Command(
        description = {
            "List the leaders of groups.",
            "%nLists the groups that have a leader: its name, its term, since when, and for how long it leads if nothing is"
                    + " heard from it any more."
        },
        customSynopsis = "Usage: fenceline leaders [OPTIONS] [PREFIX]",
        synopsisHeading = "",
        descriptionHeading = "%n",
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n")
final class LeadersCommand implements Callable<Integer> {

    private final Fenceline root;

    @Mixin
    private ListOptions listing = new ListOptions();

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "What the groups' names start with.")
    private String prefix = "";

    LeadersCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        int asked = listing.asked();
        List<List<Fact>> rows = new ArrayList<>();
        try (LockBackend backend = root.open()) {
            LockCatalog catalog = root.ability(backend, LockCatalog.class);
            for (LockRecord lease : catalog.list(LockKey.prefix(Election.KEY_PREFIX + prefix), asked)) {
                rows.add(LeaderFacts.of(lease));
            }
            if (rows.isEmpty()) {
                root.tellOfMissingStore(backend);
            }
        }
        listing.print(root, rows, "no group has a leader");
        return ExitCode.OK;
    }
}
