package io.fenceline.benchmarks.measure;

import java.util.List;

/** All measures, in the order in which they are taken and shown. */
public final class Measures {

    private Measures() {}

    /** Returns one of each kind. */
    public static List<Measure> few() {
        return List.of(new Costs(), new Undisturbed(16), new Contended(Shape.of(2, 8, 2)), new WakeUp());
    }

    /** Returns all. */
    public static List<Measure> all() {
        return List.of(
                new Costs(),
                new Undisturbed(1),
                new Undisturbed(16),
                new Contended(Shape.of(1, 16, 0)),
                new Contended(Shape.of(2, 8, 0)),
                new Contended(Shape.of(1, 16, 2)),
                new Contended(Shape.of(2, 8, 2)),
                new WakeUp(),
                new Scale());
    }
}
