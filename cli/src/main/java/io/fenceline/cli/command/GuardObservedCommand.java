package io.fenceline.cli.command;

import io.fenceline.FencingToken;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.RecordFields;
import io.fenceline.cli.output.ResultOutput;
import io.fenceline.jdbc.trigger.ObservedWrites;
import io.fenceline.spi.LockBackend;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code fenceline guard observed}: lists the writes that observing triggers counted. */
@Command(
        description = "List the writes that triggers in observe mode accepted and would otherwise refuse.",
        customSynopsis = "Usage: fenceline guard observed [OPTIONS]")
final class GuardObservedCommand implements Callable<Integer> {

    private final CommandContext context;

    @Mixin
    private ResultOutput output = new ResultOutput();

    GuardObservedCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        try (LockBackend backend = context.open()) {
            List<List<OutputField>> rows = context.triggers(backend).observed().stream()
                    .map(GuardObservedCommand::facts)
                    .toList();
            output.many(context.output(), rows, "no write would have been refused");
            if (rows.isEmpty()) {
                context.noteMissingTables(backend);
            }
            return ExitCode.OK;
        }
    }

    private static List<OutputField> facts(ObservedWrites writes) {
        return List.of(
                OutputField.of("table", "table", writes.table()),
                OutputField.of("operation", "operation", writes.operation()),
                OutputField.of("reason", "reason", writes.reason()),
                token("presented", "last token", writes.presented()),
                token("highest", "highest", writes.highest()),
                new OutputField("seen", "seen", writes.seen(), String.valueOf(writes.seen())),
                RecordFields.time("firstAt", "first at", writes.firstAt()),
                RecordFields.time("lastAt", "last at", writes.lastAt()));
    }

    private static OutputField token(String name, String label, Optional<FencingToken> token) {
        return OutputField.orElse(name, label, token.map(FencingToken::text).orElse(null), "-");
    }
}
