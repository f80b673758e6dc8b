package io.fenceline.cli;

import io.fenceline.FencingToken;
import io.fenceline.jdbc.trigger.ObservedWrites;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.spi.LockBackend;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code fenceline guard observed}: tells what observing triggers let pass. */
@Command(
        description = "List the writes that triggers with --observe let pass and others would refuse.",
        customSynopsis = "Usage: fenceline guard observed [OPTIONS]",
        synopsisHeading = "",
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n")
final class GuardObservedCommand implements Callable<Integer> {

    private final Fenceline root;

    @Mixin
    private Output output = new Output();

    GuardObservedCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        try (LockBackend backend = root.open()) {
            List<List<Fact>> rows = root.ability(backend, TriggerControl.class).observed().stream()
                    .map(GuardObservedCommand::facts)
                    .toList();
            output.many(root.surroundings().output(), rows, "no write was observed that would be refused");
            return ExitCode.OK;
        }
    }

    private static List<Fact> facts(ObservedWrites writes) {
        return List.of(
                Fact.of("table", "table", writes.table()),
                Fact.of("operation", "operation", writes.operation()),
                Fact.of("reason", "reason", writes.reason()),
                token("presented", "last token", writes.presented()),
                token("highest", "highest", writes.highest()),
                new Fact("seen", "seen", writes.seen(), String.valueOf(writes.seen())),
                time("firstAt", "first at", writes.firstAt()),
                time("lastAt", "last at", writes.lastAt()));
    }

    private static Fact token(String name, String label, Optional<FencingToken> token) {
        String text = token.map(FencingToken::text).orElse(null);
        return new Fact(name, label, text, text == null ? "-" : text);
    }

    private static Fact time(String name, String label, Instant time) {
        return new Fact(name, label, time, time.truncatedTo(ChronoUnit.SECONDS).toString());
    }
}
