package io.fenceline.cli.command;

import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.context.DefaultHolder;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.ResultOutput;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fenceline token}: shows and raises the token counter of a lock. */
@Command(
        description = "Show or raise a lock's token counter.",
        customSynopsis = {
            "Usage: fenceline token show [OPTIONS] KEY",
            "       fenceline token bump [OPTIONS] --at-least N KEY"
        },
        exitCodeList = {
            "0:success",
            "1:'show': the lock was never held, its counter never raised",
            "others:see 'fenceline exec --help'"
        })
public final class TokenCommand {

    private final CommandContext context;

    public TokenCommand(CommandContext context) {
        this.context = context;
    }

    @Command(name = "show", description = "Show the highest token of a lock.")
    public int show(@Mixin ResultOutput output, @Parameters(paramLabel = "KEY", description = "The lock.") LockKey key)
            throws IOException {
        try (LockBackend backend = context.open()) {
            Optional<FencingToken> last = context.locks(backend).lastToken(key);
            print(output, key, last);
            if (last.filter(token -> token.value() == FencingToken.MAX_VALUE).isPresent()) {
                context.errors().print("the tokens of lock '" + key + "' are used up; it cannot be acquired again");
            }
            return last.isPresent() ? ExitCode.OK : ExitCode.NO;
        }
    }

    @Command(
            name = "bump",
            description = {
                "Raise a lock's counter, so that every later token is greater than N.",
                "%nNeeded after the store was restored from a backup: give the highest token that any resource has seen. A"
                        + " counter at or above N does not change. The store keeps a record of the change, or this"
                        + " command prints one."
            })
    public int bump(
            @Mixin ResultOutput output,
            @Option(
                            names = "--at-least",
                            required = true,
                            paramLabel = "N",
                            description = "A number, with or without leading zeros.")
                    FencingToken atLeast,
            @Parameters(paramLabel = "KEY", description = "The lock.") LockKey key)
            throws IOException {
        try (LockBackend backend = context.open()) {
            LockCatalog catalog = context.locks(backend);
            FencingToken now = catalog.raiseToken(key, atLeast, DefaultHolder.of(context.environment()));
            context.recordUnlessKept(
                    catalog, "raised the token of lock '" + key + "' to " + atLeast.text() + "; it is " + now.text());
            print(output, key, Optional.of(now));
            return ExitCode.OK;
        }
    }

    private void print(ResultOutput output, LockKey key, Optional<FencingToken> last) throws IOException {
        output.one(
                context.output(),
                List.of(
                        OutputField.of("key", "key", key.value()),
                        OutputField.orElse(
                                "lastToken",
                                "last token",
                                last.map(FencingToken::text).orElse(null),
                                "none yet")));
    }
}
