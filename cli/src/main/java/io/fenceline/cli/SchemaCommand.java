package io.fenceline.cli;

import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Command;

/** {@code fenceline schema}: what the store needs, as tables go. */
@Command(
        description = "Print, install or check the tables that the store needs.",
        customSynopsis = "Usage: fenceline schema (print | install | check) [OPTIONS]",
        synopsisHeading = "",
        descriptionHeading = "%n",
        commandListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, or nothing to complain of",
            "1:'check' found something missing or different",
            "others:as 'fenceline exec --help' lists them"
        })
final class SchemaCommand {

    private final Fenceline root;

    SchemaCommand(Fenceline root) {
        this.root = root;
    }

    @Command(name = "print", description = "Print the statements that make what is needed.")
    int print() {
        return with(schema -> {
            out().print(schema.schemaScript());
            out().flush();
            return ExitCode.OK;
        });
    }

    @Command(name = "install", description = "Make what is missing; change nothing else.")
    int install() {
        return with(schema -> {
            schema.installSchema();
            return ExitCode.OK;
        });
    }

    @Command(name = "check", description = "Print what is missing or different, one line each.")
    int check() {
        return with(schema -> {
            List<String> problems = schema.schemaProblems();
            problems.forEach(problem -> out().println(Printable.of(problem)));
            return problems.isEmpty() ? ExitCode.OK : ExitCode.NO;
        });
    }

    private int with(ToIntFunction<SchemaControl> work) {
        try (LockBackend backend = root.open()) {
            Optional<SchemaControl> schema = backend.ability(SchemaControl.class);
            if (schema.isEmpty()) {
                root.complaints().tell("'" + root.store() + "' needs no tables, so there is nothing to do");
                return ExitCode.OK;
            }
            return work.applyAsInt(schema.get());
        }
    }

    private PrintWriter out() {
        return root.surroundings().output();
    }
}
