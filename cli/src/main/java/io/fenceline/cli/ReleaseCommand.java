package io.fenceline.cli;

import io.fenceline.FencingToken;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
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

/** {@code fenceline release}: ends a lease from outside. */
@Command(
        description = {
            "End a lease, by its lock id or by force.",
            "%nWith the lock id that 'hold' and 'exec' tell their users, it is the holder's own release. With --force it"
                    + " takes the lock from whoever holds it: the holder is not asked, so a token is spent, and guarded"
                    + " resources refuse the old holder as soon as they see the next one. The store keeps a record of"
                    + " it, or else this command prints one."
        },
        customSynopsis = {"Usage: fenceline release --lock-id ID [KEY]", "       fenceline release --force KEY"},
        synopsisHeading = "",
        descriptionHeading = "%n",
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:a lease was ended", "1:there was none", "others:as 'fenceline exec --help' lists them"})
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class ReleaseCommand implements Callable<Integer> {

    private final Fenceline root;

    @Spec
    private CommandSpec spec;

    @Mixin
    private Output output = new Output();

    @Option(names = "--lock-id", paramLabel = "ID", description = "The lock id of the lease: 22 characters.")
    private @Nullable LockId lockId;

    @Option(names = "--force", description = "End the lease of any holder.")
    private boolean force;

    @Parameters(arity = "0..1", paramLabel = "KEY", description = "The lock.")
    private @Nullable LockKey key;

    private ReleaseCommand(Fenceline root) {
        this.root = root;
    }

    /** A lock id may begin with a hyphen, as an option does. */
    static CommandLine line(Fenceline root) {
        return new CommandLine(new ReleaseCommand(root)).setAllowOptionsAsOptionParameters(true);
    }

    @Override
    public Integer call() throws IOException {
        try (LockBackend backend = root.open()) {
            Optional<LockRecord> ended;
            if (lockId != null && !force) {
                ended = byLockId(backend, lockId);
            } else if (force && key != null && lockId == null) {
                ended = byForce(root.ability(backend, LockCatalog.class), key);
            } else {
                throw new ParameterException(
                        spec.commandLine(),
                        "give --lock-id ID to end a lease of yours, or --force KEY to end anybody's");
            }
            output.one(root.surroundings().output(), facts(backend, ended));
            return ended.isPresent() ? ExitCode.OK : ExitCode.NO;
        }
    }

    private Optional<LockRecord> byForce(LockCatalog catalog, LockKey locked) {
        Optional<LockRecord> ended = catalog.forceRelease(locked, Caller.of(root.surroundings()));
        ended.ifPresent(lease -> root.tellUnlessRecorded(
                catalog,
                "released lock '" + locked + "' by force, which " + lease.holder() + " held with token "
                        + lease.token().text()));
        return ended;
    }

    /** The lease of this id, if it ran and this release ended it. */
    private Optional<LockRecord> byLockId(LockBackend backend, LockId id) {
        Optional<LockRecord> lease = backend.lookup(id)
                .filter(found -> key == null || found.raw().key().equals(key));
        return lease.filter(found -> backend.release(found.raw().key(), id));
    }

    private List<Fact> facts(LockBackend backend, Optional<LockRecord> ended) {
        List<Fact> facts = new ArrayList<>();
        facts.add(
                new Fact("released", "released", ended.isPresent(), ended.isPresent() ? "yes" : "no such lease runs"));
        if (ended.isPresent()) {
            LockRecord lease = ended.get();
            facts.add(Fact.of("key", "key", lease.raw().key().value()));
            facts.add(Fact.of("holder", "was held by", lease.holder().text()));
            facts.add(Fact.of("fence", "with token", lease.token().text()));
            backend.ability(LockCatalog.class)
                    .flatMap(catalog -> catalog.lastToken(lease.raw().key()))
                    .map(FencingToken::text)
                    .ifPresent(last -> facts.add(Fact.of("lastFence", "last token spent", last)));
        }
        return facts;
    }
}
