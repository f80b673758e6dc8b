package io.fenceline.cli.command;

import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.RecordFields;
import io.fenceline.cli.output.ResultOutput;
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

/** {@code fenceline show}: shows one lock. */
@Command(
        description = "Show who holds a lock, and its last token.",
        customSynopsis = "Usage: fenceline show [OPTIONS] KEY",
        exitCodeList = {"0:the lock is held", "1:it is free", "others:see 'fenceline exec --help'"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class ShowCommand implements Callable<Integer> {

    private final CommandContext context;

    @Mixin
    private ResultOutput output = new ResultOutput();

    @Option(names = "--lock-id", description = "Also show the lock id. Anybody who knows it can release the lock.")
    private boolean withLockId;

    @Parameters(paramLabel = "KEY", description = "The lock.")
    private LockKey key;

    public ShowCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        try (LockBackend backend = context.open()) {
            Optional<LockRecord> lease = backend.lookup(key);
            List<OutputField> facts = new ArrayList<>();
            boolean held = lease.isPresent();
            facts.add(new OutputField("held", "state", held, held ? "held" : "free"));
            if (held) {
                facts.addAll(RecordFields.ofLease(lease.get()));
                if (withLockId) {
                    facts.add(OutputField.of(
                            "lockId", "lock id", lease.get().raw().lockId().text()));
                }
            } else {
                facts.add(OutputField.of("key", "key", key.value()));
            }
            backend.ability(LockCatalog.class).ifPresent(catalog -> facts.add(lastToken(catalog)));
            output.one(context.output(), facts);
            if (!held) {
                context.noteMissingTables(backend);
            }
            return held ? ExitCode.OK : ExitCode.NO;
        }
    }

    private OutputField lastToken(LockCatalog catalog) {
        return OutputField.orElse(
                "lastToken",
                "last token",
                catalog.lastToken(key).map(FencingToken::text).orElse(null),
                "none yet");
    }
}
