package io.fenceline.benchmarks;

import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.contender.Contenders;
import io.fenceline.benchmarks.measure.Measure;
import io.fenceline.benchmarks.measure.Measures;
import io.fenceline.benchmarks.measure.Pace;
import io.fenceline.benchmarks.store.Store;
import io.fenceline.benchmarks.store.StoreAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The parsed command line.
 *
 * @param measures what to measure
 * @param contenders of whom
 * @param pace how long
 * @param running stores that run already
 * @param written whether the tables go into RESULTS.md
 */
record Arguments(
        List<Measure> measures,
        List<Contender> contenders,
        Pace pace,
        Map<Store, StoreAddress> running,
        boolean written) {

    static final String USAGE = """
            usage: ./benchmarks/run [--quick] [--write] [--measure=REGEX] [--only=REGEX] [--rounds=N] [--millis=N]
                                    [--redis=URI] [--postgresql=URI]
                   ./benchmarks/run jmh [ARGUMENTS OF JMH]

              --quick           short rounds of some measures, in about two minutes: shows that all runs, its figures say little
              --write           puts the tables into benchmarks/RESULTS.md, in place of the same ones there; machine and overview only
                            if all was measured
              --measure=REGEX   only measures whose name contains this: %s
              --only=REGEX      only contenders whose name contains this: %s
              --rounds=N        rounds of each contender
              --millis=N        length of a round
              --redis=URI       a server of yours without a password, which is written to; else one is started
              --postgresql=URI  likewise
            """;

    static Arguments parse(String[] args) {
        boolean quick = List.of(args).contains("--quick");
        Pace pace = quick ? Pace.quick() : Pace.full();
        List<Measure> measures = quick ? Measures.few() : Measures.all();
        List<Contender> contenders = Contenders.all();
        Map<Store, StoreAddress> running = new EnumMap<>(Store.class);
        boolean written = false;
        for (String arg : args) {
            String value = arg.substring(arg.indexOf('=') + 1);
            switch (arg.replaceFirst("=.*", "")) {
                case "--quick" -> {} // read above: the other options change it
                case "--write" -> written = true;
                case "--measure" ->
                    measures = Measures.all().stream()
                            .filter(measure -> Pattern.compile(value)
                                    .matcher(measure.name())
                                    .find())
                            .toList();
                case "--only" ->
                    contenders = contenders.stream()
                            .filter(contender -> Pattern.compile(value)
                                    .matcher(contender.name())
                                    .find())
                            .toList();
                case "--rounds" -> pace = pace.withRounds(Integer.parseInt(value));
                case "--millis" -> pace = pace.withWindow(Duration.ofMillis(Long.parseLong(value)));
                case "--redis" -> running.put(Store.REDIS, new StoreAddress(value));
                case "--postgresql" -> running.put(Store.POSTGRESQL, new StoreAddress(value));
                default -> throw new IllegalArgumentException("'" + arg + "' is not known");
            }
        }
        if (quick && written) {
            throw new IllegalArgumentException("--quick has no figures to keep; leave out --write");
        }
        return new Arguments(measures, contenders, pace, running, written);
    }

    /** Whether everything is measured of everybody. */
    boolean complete() {
        return measures.size() == Measures.all().size()
                && contenders.size() == Contenders.all().size();
    }

    static String usage() {
        return USAGE.formatted(
                String.join(" ", Measures.all().stream().map(Measure::name).toList()),
                String.join(" ", Contenders.all().stream().map(Contender::name).toList()));
    }
}
