package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Lets the contenders take turns: all of them in the first round, then all in the second, each round beginning with another.
 * What changes on the machine meanwhile then hits all alike.
 */
public final class Rounds {

    private final Bench bench;
    private final Progress progress;

    /** Makes rounds that tell of each turn. */
    public Rounds(Bench bench, Progress progress) {
        this.bench = bench;
        this.progress = progress;
    }

    /** Takes a measure of all contenders that it suits. A contender that fails is left behind in that round. */
    public Outcome take(Measure measure, List<Contender> contenders) throws InterruptedException {
        Map<Contender, Figures> figures = new LinkedHashMap<>();
        contenders.stream().filter(measure::suits).forEach(contender -> figures.put(contender, new Figures()));
        List<Contender> order = new ArrayList<>(figures.keySet());
        for (int round = 0; round <= measure.rounds(bench.pace()); round++) {
            for (Contender contender : order) {
                turn(measure, contender, round, figures.get(contender));
            }
            Collections.rotate(order, -1);
        }
        return new Outcome(measure, figures);
    }

    private void turn(Measure measure, Contender contender, int round, Figures figures) throws InterruptedException {
        try {
            Map<String, Double> numbers =
                    round == 0 ? measure.warmUp(contender, bench) : measure.round(contender, bench);
            figures.add(round, numbers);
            progress.tell(measure, contender, round, numbers);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            if (Thread.interrupted()) {
                throw new InterruptedException(e.getMessage());
            }
            figures.fail(round, String.valueOf(e.getMessage()));
            progress.tellFailure(measure, contender, round, e);
        }
    }
}
