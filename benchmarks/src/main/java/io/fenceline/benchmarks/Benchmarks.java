package io.fenceline.benchmarks;

import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.measure.Bench;
import io.fenceline.benchmarks.measure.Measure;
import io.fenceline.benchmarks.measure.Outcome;
import io.fenceline.benchmarks.measure.Progress;
import io.fenceline.benchmarks.measure.Rounds;
import io.fenceline.benchmarks.report.Csv;
import io.fenceline.benchmarks.report.Findings;
import io.fenceline.benchmarks.report.Overview;
import io.fenceline.benchmarks.report.Plot;
import io.fenceline.benchmarks.report.ResultsFile;
import io.fenceline.benchmarks.report.Surroundings;
import io.fenceline.benchmarks.report.Tables;
import io.fenceline.benchmarks.store.Store;
import io.fenceline.benchmarks.store.StoreServers;
import io.fenceline.benchmarks.worker.Crew;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Measures Fenceline beside raw drivers and other libraries on the same servers, and prints tables. */
public final class Benchmarks {

    private final Arguments arguments;
    private final Path module;
    private final StoreServers stores;
    private final Crew crew = new Crew();

    private Benchmarks(Arguments arguments, Path module) {
        this.arguments = arguments;
        this.module = module;
        this.stores = new StoreServers(arguments.running());
    }

    /** Runs what the arguments say; {@code -Dfenceline.benchmarks} names the module's folder. */
    public static void main(String[] args) throws IOException {
        if (List.of(args).contains("--help")) {
            System.out.print(Arguments.usage());
            return;
        }
        Arguments arguments;
        try {
            arguments = Arguments.parse(args);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(Arguments.usage());
            System.exit(2);
            return;
        }
        Benchmarks benchmarks = new Benchmarks(arguments, Path.of(System.getProperty("fenceline.benchmarks", ".")));
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            main.interrupt(); // on Ctrl-C; later it makes no difference
            benchmarks.close();
        }));
        try {
            benchmarks.run(("./benchmarks/run " + String.join(" ", args)).strip());
        } catch (InterruptedException ended) {
            return;
        }
        System.exit(0);
    }

    private void run(String command) throws IOException, InterruptedException {
        Set<Store> used = arguments.contenders().stream()
                .map(Contender::store)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Store.class)));
        Rounds rounds = new Rounds(
                new Bench(stores, crew, arguments.pace()),
                new Progress(arguments.measures(), arguments.contenders(), arguments.pace()));
        String surroundings = Surroundings.text(command, stores, used);
        List<Outcome> outcomes = new ArrayList<>();
        for (Measure measure : arguments.measures()) {
            outcomes.add(rounds.take(measure, arguments.contenders()));
        }
        publish(surroundings, outcomes);
    }

    private void publish(String surroundings, List<Outcome> outcomes) throws IOException {
        Map<String, String> sections = new LinkedHashMap<>();
        sections.put("surroundings", surroundings);
        sections.put("overview", Overview.section(new Findings(outcomes), arguments.contenders()));
        StringBuilder csv = new StringBuilder(Csv.HEADER);
        for (Outcome outcome : outcomes) {
            int rounds = outcome.measure().rounds(arguments.pace());
            sections.put(outcome.measure().name(), Tables.section(outcome, rounds) + "\n" + plotted(outcome));
            csv.append(Csv.lines(outcome));
        }
        String tables = String.join("\n", sections.values());
        Path folder = Files.createDirectories(module.resolve("target/results"));
        Files.writeString(folder.resolve("tables.md"), tables);
        Files.writeString(folder.resolve("rounds.csv"), csv);
        if (arguments.written()) {
            if (!arguments.complete()) {
                sections.keySet().removeAll(List.of("surroundings", "overview")); // which speak of the whole file
            }
            ResultsFile results = ResultsFile.read(module.resolve("RESULTS.md"));
            sections.forEach(results::replace);
            results.write();
        }
        System.out.println(tables);
        System.err.println("every number of every round is in " + folder.resolve("rounds.csv"));
    }

    /** Draws an outcome beside the tables. Returns the line that shows it. */
    private String plotted(Outcome outcome) throws IOException {
        String name = outcome.measure().name() + ".svg";
        Path folder = arguments.written() ? module.resolve("plots") : module.resolve("target/results/plots");
        Files.writeString(Files.createDirectories(folder).resolve(name), Plot.of(outcome));
        return "![" + outcome.measure().title() + "](plots/" + name + ")\n";
    }

    private void close() {
        crew.close();
        stores.close();
    }
}
