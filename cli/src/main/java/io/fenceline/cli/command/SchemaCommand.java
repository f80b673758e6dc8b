package io.fenceline.cli.command;

import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.Printable;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.function.ToIntFunction;
import picocli.CommandLine.Command;

/** {@code fenceline schema}: prints, installs and checks the tables of the store. */
@Command(
        description = "Print, install or check the tables that the store needs.",
        customSynopsis = "Usage: fenceline schema (print | install | check) [OPTIONS]",
        exitCodeList = {
            "0:success; 'check' found no problem",
            "1:'check' found missing or different tables",
            "others:see 'fenceline exec --help'"
        })
public final class SchemaCommand {

    private static final String COMPLETE = "the schema is complete";

    private final CommandContext context;

    public SchemaCommand(CommandContext context) {
        this.context = context;
    }

    @Command(name = "print", description = "Print the statements that create the tables.")
    public int print() {
        return with(schema -> {
            out().print(schema.schemaScript());
            out().flush();
            return ExitCode.OK;
        });
    }

    @Command(name = "install", description = "Create missing tables; change nothing else.")
    public int install() {
        return with(schema -> {
            List<String> missing = schema.schemaProblems();
            schema.installSchema();
            out().println(missing.isEmpty() ? COMPLETE : "the schema is installed");
            return ExitCode.OK;
        });
    }

    @Command(name = "check", description = "Print missing or different tables, one per line.")
    public int check() {
        return with(schema -> {
            List<String> problems = schema.schemaProblems();
            problems.forEach(problem -> out().println(Printable.of(problem)));
            if (problems.isEmpty()) {
                out().println(COMPLETE);
            }
            return problems.isEmpty() ? ExitCode.OK : ExitCode.NO;
        });
    }

    private int with(ToIntFunction<SchemaControl> work) {
        try (LockBackend backend = context.open()) {
            Optional<SchemaControl> schema = backend.ability(SchemaControl.class);
            if (schema.isEmpty()) {
                context.errors().print("'" + context.store() + "' needs no tables");
                return ExitCode.OK;
            }
            return work.applyAsInt(schema.get());
        }
    }

    private PrintWriter out() {
        return context.output();
    }
}
