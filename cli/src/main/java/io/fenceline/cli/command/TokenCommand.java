package io.fenceline.cli.command;

import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.RecordFields;
import io.fenceline.cli.output.ResultOutput;
import io.fenceline.spi.LockBackend;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code fenceline token}: shows and raises the token counters of locks. */
@Command(
        description = "Show or raise the token counters of locks.",
        customSynopsis = {
            "Usage: fenceline token ls [OPTIONS] [PREFIX]",
            "       fenceline token show [OPTIONS] KEY",
            "       fenceline token bump [OPTIONS] (--at-least N | --by N) KEY...",
            "       fenceline token bump [OPTIONS] (--at-least N | --by N) --all"
        },
        exitCodeList = {
            "0:success",
            "1:'show': the lock was never held, its counter never raised; 'bump --all': a lock is too near the limit",
            "others:see 'fenceline exec --help'"
        })
public final class TokenCommand {

    private final CommandContext context;

    private TokenCommand(CommandContext context) {
        this.context = context;
    }

    /** The command with its subcommands. */
    public static CommandLine line(CommandContext context) {
        return new CommandLine(new TokenCommand(context)).addSubcommand("bump", new TokenBumpCommand(context));
    }

    @Command(name = "ls", description = "List all locks that were ever held or raised, with their highest tokens.")
    public int ls(
            @Mixin ListOptions listing,
            @Parameters(
                            arity = "0..1",
                            paramLabel = "PREFIX",
                            defaultValue = "",
                            description = "List only keys that start with PREFIX.")
                    String prefix)
            throws IOException {
        listing.print(
                context,
                (backend, limit) -> context.locks(backend).tokens(LockKey.prefix(prefix), "", limit).stream()
                        .map(token -> RecordFields.ofToken(token.key(), Optional.of(token.last())))
                        .toList(),
                "no lock was ever held");
        return ExitCode.OK;
    }

    @Command(name = "show", description = "Show the highest token of a lock.")
    public int show(@Mixin ResultOutput output, @Parameters(paramLabel = "KEY", description = "The lock.") LockKey key)
            throws IOException {
        try (LockBackend backend = context.open()) {
            Optional<FencingToken> last = context.locks(backend).lastToken(key);
            output.one(context.output(), RecordFields.ofToken(key, last));
            if (last.filter(token -> token.value() == FencingToken.MAX_VALUE).isPresent()) {
                context.errors().print("the tokens of lock '" + key + "' are used up; it cannot be acquired again");
            }
            if (last.isEmpty()) {
                context.noteMissingTables(backend);
            }
            return last.isPresent() ? ExitCode.OK : ExitCode.NO;
        }
    }
}
