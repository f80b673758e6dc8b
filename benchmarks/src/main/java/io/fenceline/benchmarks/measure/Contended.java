package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Threads of one process or of two that all want one key. */
final class Contended implements Measure {

    private final Shape shape;

    Contended(Shape shape) {
        this.shape = shape;
    }

    @Override
    public String name() {
        return "contended-" + shape.jvms() + "x" + shape.threads() + "-"
                + shape.section().toMillis() + "ms";
    }

    @Override
    public String title() {
        return "Contended, " + (shape.jvms() == 1 ? "1 JVM" : shape.jvms() + " JVMs") + " × " + shape.threads()
                + " threads, sections of " + shape.section().toMillis() + " ms";
    }

    @Override
    public String explanation() {
        return "One key, every thread in a closed loop. Turnover: from the holder's call of release to the next holder's return"
                + " from acquire. Hand-off: from the return of release (negative when the next holder is served before the"
                + " releaser hears back). Self: grants to the thread that had just released. Longest wait: of the median round"
                + " and of the worst; × fair: ÷ (threads ÷ grants/s). Commands per grant: counted by a relay in a round of"
                + " their own. Overlaps and tokens that did not rise: of all rounds together, both must be 0.";
    }

    @Override
    public List<Column> columns() {
        List<Column> columns = new ArrayList<>(List.of(
                Column.of("waits by", (contender, own, floor) -> contender.waitsBy()),
                Column.median("grants/s", "grants/s"),
                Column.ratio("× raw", "grants/s"),
                Column.quartiles("quartiles", "grants/s"),
                Column.median("turnover p50 µs", "turnover p50"),
                Column.median("p99 µs", "turnover p99"),
                Column.median("hand-off p50 µs", "hand-off p50"),
                Column.median("p99 µs", "hand-off p99"),
                Column.range("grants per thread", "fewest", "most"),
                Column.median("fewest ÷ most", "fewest/most")));
        if (shape.jvms() > 1) {
            columns.add(Column.median("smaller JVM's share %", "smaller jvm"));
            columns.add(Column.median("JVM-to-JVM turnover p50 µs", "cross turnover p50"));
        }
        columns.addAll(List.of(
                Column.median("self %", "self"),
                Column.median("longest wait ms", "longest wait"),
                Column.worst("worst ms", "longest wait"),
                Column.median("× fair", "longest/fair"),
                Column.median("commands per grant", "commands"),
                Column.median("client CPU µs/grant", "client cpu"),
                Column.median("server CPU µs/grant", "server cpu"),
                Column.total("overlaps", "overlaps"),
                Column.total("tokens that did not rise", "tokens fallen")));
        return columns;
    }

    @Override
    public boolean suits(Contender contender) {
        return shape.jvms() == 1 || contender.store().shared();
    }

    @Override
    public int rounds(Pace pace) {
        return pace.rounds();
    }

    @Override
    public String headline() {
        return "grants/s";
    }

    @Override
    public Map<String, Double> warmUp(Contender contender, Bench bench) throws Exception {
        Contest contest = new Contest(contender, shape, bench);
        Map<String, Double> numbers = contender.store().remote() ? contest.counted() : contest.timed();
        return Map.of("commands", numbers.get("commands"));
    }

    @Override
    public Map<String, Double> round(Contender contender, Bench bench) throws Exception {
        Map<String, Double> numbers = new Contest(contender, shape, bench).timed();
        numbers.remove("commands");
        return numbers;
    }
}
