package io.fenceline.cli.command;

import io.fenceline.Backends;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.CommandFailure;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.Printable;
import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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

    @Command(
            name = "print",
            description = {
                "Print the statements that create the tables.",
                "%nWith --for, no store is asked: prints all tables of locks and guards, those of streams, generation clocks"
                        + " and an outbox included, for a migration tool such as Flyway."
            })
    public int print(
            @Option(
                            names = "--for",
                            paramLabel = "PRODUCT",
                            description =
                                    "The store: postgresql, mariadb, mysql, h2, sqlite or any other scheme of a URI.")
                    @Nullable
                    String product) {
        return product == null ? printOfStore() : printFor(product);
    }

    private int printFor(String product) {
        String scheme = product.toLowerCase(Locale.ROOT);
        if (scheme.equals("sharded")) {
            throw new CommandFailure(
                    ExitCode.USAGE, "each store of a 'sharded' URI has the tables of its own product: name that one");
        }
        BackendProvider provider = Backends.providers().stream()
                .filter(candidate -> candidate.schemes().contains(scheme))
                .findFirst()
                .orElseThrow(() -> new CommandFailure(
                        ExitCode.USAGE,
                        "no store is called '" + product + "'; known are "
                                + Backends.providers().stream()
                                        .flatMap(known -> known.schemes().stream())
                                        .sorted()
                                        .collect(Collectors.joining(", "))));
        provider.schemaScript(scheme)
                .ifPresentOrElse(out()::print, () -> context.errors().print("'" + product + "' needs no tables"));
        out().flush();
        return ExitCode.OK;
    }

    private int printOfStore() {
        return with(schema -> {
            out().print(schema.schemaScript());
            out().flush();
            return ExitCode.OK;
        });
    }

    @Command(name = "install", description = "Create missing tables; change nothing else.")
    public int install() {
        return with(schema -> {
            List<String> before = schema.schemaProblems();
            schema.installSchema();
            List<String> left = before.isEmpty() ? before : schema.schemaProblems();
            if (left.isEmpty()) {
                out().println(before.isEmpty() ? COMPLETE : "the schema is installed");
            } else {
                context.errors().print("'schema check' lists what was left as it is: " + left.size() + " differences");
            }
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
