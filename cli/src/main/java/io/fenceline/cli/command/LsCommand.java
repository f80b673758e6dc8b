package io.fenceline.cli.command;

import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.RecordFields;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.LockCatalog.KeyToken;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fenceline ls}: lists held locks. */
@Command(
        description = "List the locks that are held, or all that ever were.",
        customSynopsis = "Usage: fenceline ls [OPTIONS] [PREFIX]")
public final class LsCommand implements Callable<Integer> {

    private final CommandContext context;

    @Mixin
    private ListOptions listing = new ListOptions();

    @Option(names = "--all", description = "List also the locks that are free, if they were ever held or raised.")
    private boolean all;

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "List only keys that start with PREFIX.")
    private String prefix = "";

    public LsCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        listing.print(
                context,
                (backend, limit) -> rows(context.locks(backend), limit),
                all ? "no lock was ever held" : "no lock is held");
        return ExitCode.OK;
    }

    private List<List<OutputField>> rows(LockCatalog catalog, int limit) {
        String start = LockKey.prefix(prefix);
        List<LockRecord> held = catalog.list(start, limit);
        return all
                ? withFreeOnes(held, catalog.tokens(start, "", limit))
                : held.stream().map(RecordFields::ofLease).toList();
    }

    /** Both lists are in the same order, so of the first locks each lease is known. */
    private static List<List<OutputField>> withFreeOnes(List<LockRecord> held, List<KeyToken> tokens) {
        Map<LockKey, LockRecord> leases = new HashMap<>();
        held.forEach(lease -> leases.put(lease.raw().key(), lease));
        return tokens.stream()
                .map(token -> RecordFields.ofLock(
                        token.key(), Optional.of(token.last()), Optional.ofNullable(leases.get(token.key()))))
                .toList();
    }
}
