package io.fenceline.cli;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.spi.LockBackend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fenceline guard}: the fences of a store, and the triggers that keep to them. */
@Command(
        description = {
            "See and move the fences of guarded resources; guard tables by triggers.",
            "%nA guard remembers for each resource the greatest token that wrote or was claimed, and refuses smaller ones."
        },
        customSynopsis = {
            "Usage: fenceline guard ls [OPTIONS] [PREFIX]",
            "       fenceline guard show [OPTIONS] RESOURCE",
            "       fenceline guard claim [OPTIONS] --key KEY --token N RESOURCE",
            "       fenceline guard bump [OPTIONS] --at-least N [--key KEY] RESOURCE",
            "       fenceline guard rebind [OPTIONS] --from KEY --to KEY RESOURCE",
            "       fenceline guard ddl [OPTIONS] --dialect NAME --table T --key COLUMN",
            "       fenceline guard install [OPTIONS] --table T --key COLUMN",
            "       fenceline guard remove [OPTIONS] --table T",
            "       fenceline guard observed [OPTIONS]"
        },
        synopsisHeading = "",
        descriptionHeading = "%n",
        commandListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:'show' found no fence; 'rebind' found the resource with another lock",
            "121:the resource refuses the token: it is stale or of another lock",
            "others:as 'fenceline exec --help' lists them"
        })
final class GuardCommand {

    private final Fenceline root;

    private GuardCommand(Fenceline root) {
        this.root = root;
    }

    /** The command with all of its own. */
    static CommandLine line(Fenceline root) {
        return new CommandLine(new GuardCommand(root))
                .addSubcommand("ddl", new GuardDdlCommand(root))
                .addSubcommand("install", new GuardInstallCommand(root))
                .addSubcommand("remove", new GuardRemoveCommand(root))
                .addSubcommand("observed", new GuardObservedCommand(root));
    }

    @Command(name = "ls", description = "List fences by the names of their resources.")
    int ls(
            @Mixin ListOptions listing,
            @Parameters(
                            arity = "0..1",
                            paramLabel = "PREFIX",
                            defaultValue = "",
                            description = "What the names start with.")
                    String prefix)
            throws IOException {
        int asked = listing.asked();
        List<List<Fact>> rows = new ArrayList<>();
        try (LockBackend backend = root.open()) {
            fences(backend)
                    .list(LockKey.prefix(prefix), asked)
                    .forEach((name, fence) -> rows.add(FenceFacts.of(name, fence)));
            if (rows.isEmpty()) {
                root.tellOfMissingStore(backend);
            }
        }
        listing.print(root, rows, "no resource has a fence");
        return ExitCode.OK;
    }

    @Command(name = "show", description = "Show the fence of a resource.")
    int show(
            @Mixin Output output,
            @Parameters(paramLabel = "RESOURCE", description = "What is guarded.") ResourceName resource)
            throws IOException {
        try (LockBackend backend = root.open()) {
            Optional<Fence> fence = find(fences(backend), resource);
            if (fence.isEmpty()) {
                output.one(
                        root.surroundings().output(),
                        List.of(
                                Fact.of("resource", "resource", resource.value()),
                                new Fact("highest", "highest token", null, "never fenced")));
                return ExitCode.NO;
            }
            print(output, resource, fence.get());
            return ExitCode.OK;
        }
    }

    @Command(
            name = "claim",
            description = {
                "Announce a holder: smaller tokens are refused from now on.",
                "%nTo be done before the holder reads. 'fenceline exec --claim' does it for a command."
            })
    int claim(
            @Mixin Output output,
            @Option(names = "--key", required = true, paramLabel = "KEY", description = "The lock that is held.")
                    LockKey key,
            @Option(names = "--token", required = true, paramLabel = "N", description = "The holder's token.")
                    FencingToken token,
            @Parameters(paramLabel = "RESOURCE", description = "What is guarded.") ResourceName resource)
            throws IOException {
        try (LockBackend backend = root.open()) {
            FenceCatalog fences = fences(backend);
            fences.guard().claim(resource.value(), new FenceStamp(key, token));
            print(output, resource, found(fences, resource));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "bump",
            description = {
                "Raise a fence, so that tokens below N are refused.",
                "%nNeeded after fences were restored from an older copy, and to shut out a holder that is stuck. A fence that is"
                        + " as high already stays as it is. The store keeps a record of it."
            })
    int bump(
            @Mixin Output output,
            @Option(
                            names = "--at-least",
                            required = true,
                            paramLabel = "N",
                            description = "The smallest token that may still write.")
                    FencingToken atLeast,
            @Option(
                            names = "--key",
                            paramLabel = "KEY",
                            description = "The lock. Default: the one that the resource belongs to.")
                    @Nullable
                    LockKey key,
            @Parameters(paramLabel = "RESOURCE", description = "What is guarded.") ResourceName resource)
            throws IOException {
        try (LockBackend backend = root.open()) {
            FenceCatalog fences = fences(backend);
            LockKey owner = key != null
                    ? key
                    : find(fences, resource)
                            .map(Fence::key)
                            .orElseThrow(() -> new CommandFailure(
                                    ExitCode.USAGE,
                                    "'" + resource + "' has no fence yet, so say which lock it belongs to: --key KEY"));
            FenceStamp stamp = new FenceStamp(owner, atLeast);
            print(output, resource, fences.raise(resource.value(), stamp, Caller.of(root.surroundings())));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "rebind",
            description = {
                "Give a resource to another lock.",
                "%nHolders of the old lock are refused from then on, and every holder of the new one is accepted. The store keeps"
                        + " a record of it."
            })
    int rebind(
            @Mixin Output output,
            @Option(names = "--from", required = true, paramLabel = "KEY", description = "The lock that it belongs to.")
                    LockKey from,
            @Option(
                            names = "--to",
                            required = true,
                            paramLabel = "KEY",
                            description = "The lock that it is to belong to.")
                    LockKey to,
            @Parameters(paramLabel = "RESOURCE", description = "What is guarded.") ResourceName resource)
            throws IOException {
        try (LockBackend backend = root.open()) {
            FenceCatalog fences = fences(backend);
            boolean done = fences.rebind(resource.value(), from, to, Caller.of(root.surroundings()));
            Optional<Fence> now = find(fences, resource);
            List<Fact> facts = new ArrayList<>();
            facts.add(new Fact("rebound", "rebound", done, done ? "yes" : "no, it does not belong to '" + from + "'"));
            now.ifPresent(fence -> facts.addAll(FenceFacts.of(resource.value(), fence)));
            output.one(root.surroundings().output(), facts);
            return done ? ExitCode.OK : ExitCode.NO;
        }
    }

    private FenceCatalog fences(LockBackend backend) {
        return root.ability(backend, FenceCatalog.class);
    }

    /** The name itself comes first of all that begin with it. */
    private static Optional<Fence> find(FenceCatalog fences, ResourceName resource) {
        Map<String, Fence> first = fences.list(resource.value(), 1);
        return Optional.ofNullable(first.get(resource.value()));
    }

    private static Fence found(FenceCatalog fences, ResourceName resource) {
        return find(fences, resource)
                .orElseThrow(
                        () -> new CommandFailure(ExitCode.INTERNAL, "the fence of '" + resource + "' is gone again"));
    }

    private void print(Output output, ResourceName resource, Fence fence) throws IOException {
        output.one(root.surroundings().output(), FenceFacts.of(resource.value(), fence));
    }
}
