package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.worker.Window;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.ToLongBiFunction;
import java.util.stream.IntStream;

/** Statistics of a contended lock's grants: rate, hand-over times and fairness. */
final class GrantStatistics {

    private final List<Hold> holds;
    private final Shape shape;
    private final Window window;

    /** Takes the grants in order. */
    GrantStatistics(List<Hold> holds, Shape shape, Window window) {
        this.holds = holds;
        this.shape = shape;
        this.window = window;
    }

    Map<String, Double> numbers() {
        double grants = grants();
        double fewest = Arrays.stream(grantsByThread()).min().orElse(0);
        double most = Arrays.stream(grantsByThread()).max().orElse(0);
        double longest = longestWaitNanos() / 1e6;
        double fair = shape.all() / (grants / window.seconds()) * 1e3;
        Map<String, Double> numbers = new LinkedHashMap<>();
        numbers.put("grants", grants);
        numbers.put("grants/s", grants / window.seconds());
        putQuantiles("turnover", GrantStatistics::turnover, (last, next) -> true, numbers);
        putQuantiles("hand-off", GrantStatistics::handOff, (last, next) -> true, numbers);
        putQuantiles("cross turnover", GrantStatistics::turnover, (last, next) -> last.jvm() != next.jvm(), numbers);
        putQuantiles("cross hand-off", GrantStatistics::handOff, (last, next) -> last.jvm() != next.jvm(), numbers);
        numbers.put("fewest", fewest);
        numbers.put("most", most);
        numbers.put("fewest/most", most == 0 ? Double.NaN : fewest / most);
        numbers.put("self", 100 * count((last, next) -> last.thread() == next.thread()) / grants);
        numbers.put("smaller jvm", shape.jvms() == 1 ? Double.NaN : 100 * smallerJvm() / grants);
        numbers.put("longest wait", longest);
        numbers.put("longest/fair", longest / fair);
        numbers.put("overlaps", (double) overlaps());
        numbers.put("tokens fallen", holds.stream().allMatch(hold -> hold.token() == 0) ? Double.NaN : tokensFallen());
        return numbers;
    }

    /** From the call of release to the next return of acquire. */
    private static long turnover(Hold last, Hold next) {
        return next.granted() - last.releasing();
    }

    /** From the return of release; negative if the next one is served before the releaser hears of it. */
    private static long handOff(Hold last, Hold next) {
        return next.granted() - last.released();
    }

    private boolean counts(Hold hold) {
        return hold.granted() >= window.startNanos() && hold.granted() < window.endNanos();
    }

    private double grants() {
        return holds.stream().filter(this::counts).count();
    }

    private void putQuantiles(
            String name,
            ToLongBiFunction<Hold, Hold> duration,
            BiPredicate<Hold, Hold> which,
            Map<String, Double> numbers) {
        long[] sorted = successions(which)
                .mapToLong(i -> duration.applyAsLong(holds.get(i - 1), holds.get(i)))
                .sorted()
                .toArray();
        numbers.put(name + " p50", quantileMicros(sorted, 0.5));
        numbers.put(name + " p99", quantileMicros(sorted, 0.99));
    }

    private static double quantileMicros(long[] sorted, double share) {
        return sorted.length == 0 ? Double.NaN : sorted[(int) Math.ceil(share * sorted.length) - 1] / 1e3;
    }

    private double count(BiPredicate<Hold, Hold> which) {
        return successions(which).count();
    }

    private IntStream successions(BiPredicate<Hold, Hold> which) {
        return IntStream.range(1, holds.size())
                .filter(i -> counts(holds.get(i)) && which.test(holds.get(i - 1), holds.get(i)));
    }

    private long[] grantsByThread() {
        long[] grants = new long[shape.all()];
        holds.stream().filter(this::counts).forEach(hold -> grants[hold.thread()]++);
        return grants;
    }

    private double smallerJvm() {
        return IntStream.range(0, shape.jvms())
                .mapToLong(jvm -> holds.stream()
                        .filter(hold -> hold.jvm() == jvm && counts(hold))
                        .count())
                .min()
                .orElse(0);
    }

    /** Also of those who still wait at the window's end, as far as they have waited. */
    private double longestWaitNanos() {
        return holds.stream()
                .filter(hold -> hold.granted() >= window.startNanos() && hold.called() < window.endNanos())
                .mapToLong(hold -> Math.min(hold.granted(), window.endNanos()) - hold.called())
                .max()
                .orElse(0);
    }

    /** Grants that came back while an earlier holder had not yet called release. Must be 0. */
    private long overlaps() {
        long overlaps = 0;
        long heldUntil = Long.MIN_VALUE;
        for (Hold hold : holds) {
            overlaps += hold.granted() < heldUntil ? 1 : 0;
            heldUntil = Math.max(heldUntil, hold.releasing());
        }
        return overlaps;
    }

    /** Grants whose token is not above the last one's. Must be 0. */
    private double tokensFallen() {
        return IntStream.range(1, holds.size())
                .filter(i -> holds.get(i).token() <= holds.get(i - 1).token())
                .count();
    }
}
