package io.fenceline.cli;

import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fenceline token}: reads and raises a key's token counter. */
@Command(
        description = "Show or raise a lock's token counter.",
        customSynopsis = {
            "Usage: fenceline token show [OPTIONS] KEY",
            "       fenceline token bump [OPTIONS] --at-least N KEY"
        },
        synopsisHeading = "",
        descriptionHeading = "%n",
        commandListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:'show' found a lock that was never held nor raised",
            "others:as 'fenceline exec --help' lists them"
        })
final class TokenCommand {

    private final Fenceline root;

    TokenCommand(Fenceline root) {
        this.root = root;
    }

    @Command(name = "show", description = "Show the greatest token that was spent on a lock.")
    int show(@Mixin Output output, @Parameters(paramLabel = "KEY", description = "The lock.") LockKey key)
            throws IOException {
        try (LockBackend backend = root.open()) {
            Optional<FencingToken> last =
                    root.ability(backend, LockCatalog.class).lastToken(key);
            print(output, key, last);
            if (last.filter(token -> token.value() == FencingToken.MAX_VALUE).isPresent()) {
                root.complaints().tell("the tokens of lock '" + key + "' are used up: it can no longer be granted");
            }
            return last.isPresent() ? ExitCode.OK : ExitCode.NO;
        }
    }

    @Command(
            name = "bump",
            description = {
                "Raise a lock's counter, so that every later token is greater than N.",
                "%nNeeded after the store was restored from an older copy: give the greatest token that any resource has"
                        + " seen. A counter that is as high already stays as it is. The store keeps a record of it, or else this command"
                        + " prints one."
            })
    int bump(
            @Mixin Output output,
            @Option(
                            names = "--at-least",
                            required = true,
                            paramLabel = "N",
                            description = "A number, with or without leading zeros.")
                    FencingToken atLeast,
            @Parameters(paramLabel = "KEY", description = "The lock.") LockKey key)
            throws IOException {
        try (LockBackend backend = root.open()) {
            LockCatalog catalog = root.ability(backend, LockCatalog.class);
            FencingToken now = catalog.raiseToken(key, atLeast, Caller.of(root.surroundings()));
            root.tellUnlessRecorded(
                    catalog, "raised the token of lock '" + key + "' to " + atLeast.text() + "; it is " + now.text());
            print(output, key, Optional.of(now));
            return ExitCode.OK;
        }
    }

    private void print(Output output, LockKey key, Optional<FencingToken> last) throws IOException {
        String text = last.map(FencingToken::text).orElse(null);
        output.one(
                root.surroundings().output(),
                List.of(
                        Fact.of("key", "key", key.value()),
                        new Fact("lastFence", "last token", text, text == null ? "none yet" : text)));
    }
}
