package io.fenceline.cli.command;

import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.context.DefaultHolder;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.ResultOutput;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fenceline release}: releases a lock that another process holds. */
@Command(
        description = {
            "Release a lock, by its lock id or by force.",
            "%nWith the lock id, which 'hold' prints and 'exec' passes to its command, this is the holder's own release."
                    + " --force takes the lock from any holder without asking it. It also spends a token, so that guarded"
                    + " resources refuse the old holder once they have seen the next one. The store keeps a record of a"
                    + " forced release, or this command prints one."
        },
        customSynopsis = {"Usage: fenceline release --lock-id ID [KEY]", "       fenceline release --force KEY"},
        exitCodeList = {"0:released", "1:not held", "others:see 'fenceline exec --help'"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
public final class ReleaseCommand implements Callable<Integer> {

    private final CommandContext context;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ResultOutput output = new ResultOutput();

    @Option(names = "--lock-id", paramLabel = "ID", description = "The lock id: 22 characters.")
    private @Nullable LockId lockId;

    @Option(names = "--force", description = "Release the lock of any holder.")
    private boolean force;

    @Parameters(arity = "0..1", paramLabel = "KEY", description = "The lock.")
    private @Nullable LockKey key;

    private ReleaseCommand(CommandContext context) {
        this.context = context;
    }

    /** A lock id may begin with a hyphen, like an option. */
    public static CommandLine line(CommandContext context) {
        return new CommandLine(new ReleaseCommand(context)).setAllowOptionsAsOptionParameters(true);
    }

    @Override
    public Integer call() throws IOException {
        try (LockBackend backend = context.open()) {
            Optional<LockRecord> ended;
            if (lockId != null && !force) {
                ended = byLockId(backend, lockId);
            } else if (force && key != null && lockId == null) {
                ended = byForce(context.locks(backend), key);
            } else {
                throw new ParameterException(
                        spec.commandLine(),
                        "give --lock-id ID to release your own lock, or --force KEY to release any holder's");
            }
            output.one(context.output(), facts(backend, ended));
            return ended.isPresent() ? ExitCode.OK : ExitCode.NO;
        }
    }

    private Optional<LockRecord> byForce(LockCatalog catalog, LockKey locked) {
        Optional<LockRecord> ended = catalog.forceRelease(locked, DefaultHolder.of(context.environment()));
        ended.ifPresent(lease -> context.recordUnlessKept(
                catalog,
                "forced release of lock '" + locked + "', held by " + lease.holder() + " with token "
                        + lease.token().text()));
        return ended;
    }

    /** The lease with this id, if this call released it. */
    private Optional<LockRecord> byLockId(LockBackend backend, LockId id) {
        Optional<LockRecord> lease = backend.lookup(id)
                .filter(found -> key == null || found.raw().key().equals(key));
        return lease.filter(found -> backend.release(found.raw().key(), id));
    }

    private List<OutputField> facts(LockBackend backend, Optional<LockRecord> ended) {
        List<OutputField> facts = new ArrayList<>();
        facts.add(new OutputField(
                "released",
                "released",
                ended.isPresent(),
                ended.isPresent() ? "yes" : lockId == null ? "no: not held" : "no: not held under this id"));
        if (ended.isPresent()) {
            LockRecord lease = ended.get();
            facts.add(OutputField.of("key", "key", lease.raw().key().value()));
            facts.add(OutputField.of("holder", "was held by", lease.holder().text()));
            facts.add(OutputField.of("token", "with token", lease.token().text()));
            backend.ability(LockCatalog.class)
                    .flatMap(catalog -> catalog.lastToken(lease.raw().key()))
                    .map(FencingToken::text)
                    .ifPresent(last -> facts.add(OutputField.of("lastToken", "last token", last)));
        }
        return facts;
    }
}
