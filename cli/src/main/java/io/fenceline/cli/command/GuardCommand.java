package io.fenceline.cli.command;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.context.DefaultHolder;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.RecordFields;
import io.fenceline.cli.output.ResultOutput;
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

/** {@code fenceline guard}: shows and changes fences, and guards tables by triggers. */
@Command(
        description = {
            "Show and change the fences of guarded resources; guard tables by triggers.",
            "%nThe fence of a resource is the highest token that wrote to it or claimed it. A guard refuses lower tokens."
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
        exitCodeList = {
            "0:success",
            "1:'show': the resource has no fence; 'rebind': it belongs to another lock",
            "121:the resource refuses the token: it is stale or of another lock",
            "others:see 'fenceline exec --help'"
        })
public final class GuardCommand {

    private final CommandContext context;

    private GuardCommand(CommandContext context) {
        this.context = context;
    }

    /** The command with its subcommands. */
    public static CommandLine line(CommandContext context) {
        return new CommandLine(new GuardCommand(context))
                .addSubcommand("ddl", new GuardDdlCommand(context))
                .addSubcommand("install", new GuardInstallCommand(context))
                .addSubcommand("remove", new GuardRemoveCommand(context))
                .addSubcommand("observed", new GuardObservedCommand(context));
    }

    @Command(name = "ls", description = "List fences.")
    public int ls(
            @Mixin ListOptions listing,
            @Parameters(
                            arity = "0..1",
                            paramLabel = "PREFIX",
                            defaultValue = "",
                            description = "List only resources that start with PREFIX.")
                    String prefix)
            throws IOException {
        listing.print(
                context,
                (backend, limit) -> {
                    List<List<OutputField>> rows = new ArrayList<>();
                    fences(backend)
                            .list(LockKey.prefix(prefix), limit)
                            .forEach((name, fence) -> rows.add(RecordFields.ofFence(name, fence)));
                    return rows;
                },
                "no resource has a fence");
        return ExitCode.OK;
    }

    @Command(name = "show", description = "Show the fence of a resource.")
    public int show(
            @Mixin ResultOutput output,
            @Parameters(paramLabel = "RESOURCE", description = "The guarded resource.") ResourceName resource)
            throws IOException {
        try (LockBackend backend = context.open()) {
            Optional<Fence> fence = find(fences(backend), resource);
            if (fence.isEmpty()) {
                output.one(
                        context.output(),
                        List.of(
                                OutputField.of("resource", "resource", resource.value()),
                                OutputField.orElse("highest", "highest token", null, "none")));
                context.noteMissingTables(backend);
                return ExitCode.NO;
            }
            print(output, resource, fence.get());
            return ExitCode.OK;
        }
    }

    @Command(
            name = "claim",
            description = {
                "Raise a fence to a holder's token: lower tokens are refused from now on.",
                "%nDo it before the holder reads. 'fenceline exec --claim' does it for a command."
            })
    public int claim(
            @Mixin ResultOutput output,
            @Option(names = "--key", required = true, paramLabel = "KEY", description = "The lock.") LockKey key,
            @Option(names = "--token", required = true, paramLabel = "N", description = "The holder's token.")
                    FencingToken token,
            @Parameters(paramLabel = "RESOURCE", description = "The guarded resource.") ResourceName resource)
            throws IOException {
        try (LockBackend backend = context.open()) {
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
                "%nNeeded after the fences were restored from a backup, and to shut out a stuck holder. A fence at or above N"
                        + " does not change. The store keeps a record of the change."
            })
    public int bump(
            @Mixin ResultOutput output,
            @Option(
                            names = "--at-least",
                            required = true,
                            paramLabel = "N",
                            description = "The lowest token that may still write.")
                    FencingToken atLeast,
            @Option(names = "--key", paramLabel = "KEY", description = "The lock. Default: the resource's.") @Nullable
                    LockKey key,
            @Parameters(paramLabel = "RESOURCE", description = "The guarded resource.") ResourceName resource)
            throws IOException {
        try (LockBackend backend = context.open()) {
            FenceCatalog fences = fences(backend);
            LockKey owner = key != null
                    ? key
                    : find(fences, resource)
                            .map(Fence::key)
                            .orElseThrow(() -> new CommandFailure(
                                    ExitCode.USAGE, "'" + resource + "' has no fence yet; give its lock: --key KEY"));
            FenceStamp stamp = new FenceStamp(owner, atLeast);
            print(output, resource, fences.raise(resource.value(), stamp, DefaultHolder.of(context.environment())));
            return ExitCode.OK;
        }
    }

    @Command(
            name = "rebind",
            description = {
                "Change the lock that a resource belongs to.",
                "%nFrom then on, holders of the old lock are refused and all holders of the new one are accepted. What the"
                        + " resource has seen is forgotten, also for a way back to the old lock: raise it then with 'guard"
                        + " bump'. The store keeps a record of the change.",
                "%nA row of yours that keeps its fence in a column (FencedTable, @FenceColumn) still has that of the old"
                        + " lock, and refuses the new one: set the column, and that of the lock key, to NULL."
            })
    public int rebind(
            @Mixin ResultOutput output,
            @Option(names = "--from", required = true, paramLabel = "KEY", description = "The present lock.")
                    LockKey from,
            @Option(names = "--to", required = true, paramLabel = "KEY", description = "The new lock.") LockKey to,
            @Parameters(paramLabel = "RESOURCE", description = "The guarded resource.") ResourceName resource)
            throws IOException {
        try (LockBackend backend = context.open()) {
            FenceCatalog fences = fences(backend);
            boolean done = fences.rebind(resource.value(), from, to, DefaultHolder.of(context.environment()));
            Optional<Fence> now = find(fences, resource);
            List<OutputField> facts = new ArrayList<>();
            facts.add(new OutputField(
                    "rebound",
                    "rebound",
                    done,
                    done ? "yes; set fence columns of its rows to NULL" : "no: it does not belong to '" + from + "'"));
            now.ifPresent(fence -> facts.addAll(RecordFields.ofFence(resource.value(), fence)));
            output.one(context.output(), facts);
            return done ? ExitCode.OK : ExitCode.NO;
        }
    }

    private FenceCatalog fences(LockBackend backend) {
        return context.fences(backend);
    }

    /** In a list by prefix, the exact name comes first. */
    private static Optional<Fence> find(FenceCatalog fences, ResourceName resource) {
        Map<String, Fence> first = fences.list(resource.value(), 1);
        return Optional.ofNullable(first.get(resource.value()));
    }

    private static Fence found(FenceCatalog fences, ResourceName resource) {
        return find(fences, resource)
                .orElseThrow(() ->
                        new CommandFailure(ExitCode.INTERNAL, "the fence of '" + resource + "' has been deleted"));
    }

    private void print(ResultOutput output, ResourceName resource, Fence fence) throws IOException {
        output.one(context.output(), RecordFields.ofFence(resource.value(), fence));
    }
}
