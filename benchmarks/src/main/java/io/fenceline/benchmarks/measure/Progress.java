package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Tells on standard error how far a run has come. For one thread. */
public final class Progress {

    private final long start = System.nanoTime();
    private final long turns;
    private long done;

    /** Starts with nothing done. */
    public Progress(List<Measure> measures, List<Contender> contenders, Pace pace) {
        this.turns = measures.stream()
                .mapToLong(measure -> (measure.rounds(pace) + 1)
                        * contenders.stream().filter(measure::suits).count())
                .sum();
    }

    void tell(Measure measure, Contender contender, int round, Map<String, Double> numbers) {
        Double headline = numbers.get(measure.headline());
        String figure = headline == null ? "" : " " + Numbers.text(headline) + " " + measure.headline();
        line(measure, contender, round, figure);
    }

    void tellFailure(Measure measure, Contender contender, int round, Exception failure) {
        line(measure, contender, round, " FAILED: " + failure.getMessage());
    }

    private void line(Measure measure, Contender contender, int round, String end) {
        done++;
        Duration left = Duration.ofNanos((System.nanoTime() - start) / done * (turns - done));
        String what = round == 0 ? "warm-up" : "round " + round;
        System.err.printf(
                "[%d/%d, %d:%02d left] %s, %s: %s%s%n",
                done, turns, left.toMinutes(), left.toSecondsPart(), measure.name(), what, contender.name(), end);
    }
}
