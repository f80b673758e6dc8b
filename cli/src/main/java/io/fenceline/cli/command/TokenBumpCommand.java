package io.fenceline.cli.command;

import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.context.DefaultHolder;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.RecordFields;
import io.fenceline.cli.output.ResultOutput;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.LockCatalog.KeyToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fenceline token bump}: raises the token counters of some locks, or of all. */
@Command(
        description = {
            "Raise counters, so that every later token is greater.",
            "%nNeeded after the store was restored from a backup: give the highest token that any resource has seen, or as"
                    + " many tokens as can have been spent since. A counter is never lowered. The store keeps a record of"
                    + " each change, or this command prints one.",
            "%n--all raises the locks that the store knows; one that was first held after the backup is not among them, and"
                    + " is raised by its KEY. A lock that is too near the limit is named and left as it is. If --all is interrupted,"
                    + " --after goes on where it was."
        })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class TokenBumpCommand implements Callable<Integer> {

    private static final int PAGE = 1000;

    private final CommandContext context;

    @Mixin
    private ResultOutput output = new ResultOutput();

    @ArgGroup(multiplicity = "1")
    private Amount amount = new Amount();

    @Option(names = "--all", description = "Raise all locks that were ever held or raised.")
    private boolean all;

    @Option(names = "--prefix", paramLabel = "PREFIX", description = "With --all: only keys that start with PREFIX.")
    private String prefix = "";

    @Option(
            names = "--after",
            paramLabel = "KEY",
            description = "With --all: only keys after KEY, in the order of 'ls'.")
    private String after = "";

    @Parameters(arity = "0..*", paramLabel = "KEY", description = "The locks.")
    private List<LockKey> keys = List.of();

    /** The two ways to say how far. */
    static final class Amount {

        @Option(
                names = "--at-least",
                paramLabel = "N",
                description = "Raise counters below N to N, a number with or without leading zeros.")
        private @Nullable FencingToken atLeast;

        @Option(names = "--by", paramLabel = "N", description = "Add N, which is at least 1, to each counter.")
        private @Nullable FencingToken by;

        FencingToken target(LockKey key, Optional<FencingToken> last) {
            if (atLeast != null) {
                return atLeast;
            }
            long added = by == null ? 0 : by.value();
            long target = last.map(FencingToken::value).orElse(0L) + added;
            if (target > FencingToken.MAX_VALUE) {
                throw new CommandFailure(
                        ExitCode.USAGE,
                        "lock '" + key + "' has token " + last.orElseThrow().text() + ": " + added
                                + " more are beyond the limit, " + FencingToken.MAX_VALUE);
            }
            return FencingToken.of(target);
        }

        @Override
        public String toString() {
            return atLeast != null ? "to " + atLeast.text() : "by " + (by == null ? 0 : by.value());
        }
    }

    TokenBumpCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        if (all == !keys.isEmpty()) {
            throw new CommandFailure(
                    ExitCode.USAGE,
                    keys.isEmpty() ? "name the locks, or give --all" : "name the locks or give --all, not both");
        }
        if (!all && !(prefix.isEmpty() && after.isEmpty())) {
            throw new CommandFailure(ExitCode.USAGE, "--prefix and --after go with --all");
        }
        try (LockBackend backend = context.open()) {
            LockCatalog catalog = context.locks(backend);
            if (all) {
                boolean complete = raiseAll(catalog);
                context.noteMissingTables(backend);
                return complete ? ExitCode.OK : ExitCode.NO;
            }
            raiseNamed(catalog);
            return ExitCode.OK;
        }
    }

    private void raiseNamed(LockCatalog catalog) throws IOException {
        List<List<OutputField>> rows = new ArrayList<>();
        for (LockKey key : new LinkedHashSet<>(keys)) {
            FencingToken now = raise(catalog, key, amount.target(key, catalog.lastToken(key)));
            rows.add(RecordFields.ofToken(key, Optional.of(now)));
            context.recordUnlessKept(
                    catalog, "raised the token of lock '" + key + "' " + amount + "; it is " + now.text());
        }
        if (rows.size() == 1) {
            output.one(context.output(), rows.get(0));
        } else {
            output.many(context.output(), rows, "");
        }
    }

    /** Raises all locks, but for those that are too near the limit; tells whether there were none of these. */
    private boolean raiseAll(LockCatalog catalog) throws IOException {
        String start = LockKey.prefix(prefix);
        RaisedKeys raised = new RaisedKeys(LockKey.prefix(after), context.errors());
        try (raised) {
            for (List<KeyToken> page = catalog.tokens(start, raised.last(), PAGE);
                    !page.isEmpty();
                    page = catalog.tokens(start, raised.last(), PAGE)) {
                for (KeyToken token : page) {
                    boolean goesOn = raised.raise(
                            token.key(),
                            () -> raise(catalog, token.key(), amount.target(token.key(), Optional.of(token.last()))));
                    if (!goesOn) {
                        return false; // the JVM shuts down
                    }
                }
                if (page.size() == PAGE) {
                    raised.print();
                }
            }
            raised.complete();
        }
        if (raised.count() > 0) {
            context.recordUnlessKept(catalog, "raised the tokens of " + raised.count() + " locks " + amount);
        }
        output.one(
                context.output(),
                List.of(
                        new OutputField("raised", "locks raised", raised.count(), Long.toString(raised.count())),
                        OutputField.orElse("lastKey", "last key", raised.count() == 0 ? null : raised.last(), "none")));
        return raised.refused() == 0;
    }

    private FencingToken raise(LockCatalog catalog, LockKey key, FencingToken target) {
        return catalog.raiseToken(key, target, DefaultHolder.of(context.environment()));
    }
}
