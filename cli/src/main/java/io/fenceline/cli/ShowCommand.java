package io.fenceline.cli;

import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fenceline show}: tells all about one lock. */
@Command(
        description = "Show who holds a lock, and its last token.",
        customSynopsis = "Usage: fenceline show [OPTIONS] KEY",
        synopsisHeading = "",
        descriptionHeading = "%n",
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the lock is held", "1:it is free", "others:as 'fenceline exec --help' lists them"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ShowCommand implements Callable<Integer> {

    private final Fenceline root;

    @Mixin
    private Output output = new Output();

    @Option(names = "--lock-id", description = "Show the lock id too. Whoever knows it can release the lock.")
    private boolean withLockId;

    @Parameters(paramLabel = "KEY", description = "The lock.")
    private LockKey key;

    ShowCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        try (LockBackend backend = root.open()) {
            Optional<LockRecord> lease = backend.lookup(key);
            List<Fact> facts = new ArrayList<>();
            boolean held = lease.isPresent();
            facts.add(new Fact("held", "state", held, held ? "held" : "free"));
            if (held) {
                facts.addAll(LeaseFacts.of(lease.get()));
                if (withLockId) {
                    facts.add(Fact.of(
                            "lockId", "lock id", lease.get().raw().lockId().text()));
                }
            } else {
                facts.add(Fact.of("key", "key", key.value()));
            }
            backend.ability(LockCatalog.class).ifPresent(catalog -> facts.add(lastToken(catalog)));
            output.one(root.surroundings().output(), facts);
            return held ? ExitCode.OK : ExitCode.NO;
        }
    }

    private Fact lastToken(LockCatalog catalog) {
        String last = catalog.lastToken(key).map(FencingToken::text).orElse(null);
        return new Fact("lastFence", "last token", last, last == null ? "none yet" : last);
    }
}
