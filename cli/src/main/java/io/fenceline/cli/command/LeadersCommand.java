package io.fenceline.cli.command;

import io.fenceline.LockKey;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.RecordFields;
import io.fenceline.election.Election;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code fenceline leaders}: lists leaders. */
@Command(
        description = {
            "List the leaders of groups.",
            "%nShows for each group its leader, the term, when the term began, and when it ends unless it is renewed."
        },
        customSynopsis = "Usage: fenceline leaders [OPTIONS] [PREFIX]")
public final class LeadersCommand implements Callable<Integer> {

    private final CommandContext context;

    @Mixin
    private ListOptions listing = new ListOptions();

    @Parameters(arity = "0..1", paramLabel = "PREFIX", description = "List only groups that start with PREFIX.")
    private String prefix = "";

    public LeadersCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        String start = LockKey.prefix(Election.KEY_PREFIX + prefix);
        listing.print(
                context,
                (backend, limit) -> context.locks(backend).list(start, limit).stream()
                        .map(RecordFields::ofLeader)
                        .toList(),
                "no group has a leader");
        return ExitCode.OK;
    }
}
