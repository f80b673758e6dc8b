package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;

/**
 * A column of a table.
 *
 * @param title its heading
 * @param cell what stands in it
 */
public record Column(String title, Cell cell) {

    /** Fills a column. */
    public interface Cell {

        /** Returns the text for a contender, of its own figures and those of its store's floor, which may be empty. */
        String of(Contender contender, Figures own, Figures floor);
    }

    static Column of(String title, Cell cell) {
        return new Column(title, cell);
    }

    static Column median(String title, String name) {
        return of(title, (contender, own, floor) -> Numbers.text(own.median(name)));
    }

    static Column worst(String title, String name) {
        return of(title, (contender, own, floor) -> Numbers.text(own.max(name)));
    }

    static Column total(String title, String name) {
        return of(title, (contender, own, floor) -> Numbers.text(own.sum(name)));
    }

    static Column range(String title, String low, String high) {
        return of(title, (contender, own, floor) -> Numbers.range(own.median(low), own.median(high)));
    }

    /** The median of the ratios to the floor, each of one round. */
    static Column ratio(String title, String name) {
        return of(title, (contender, own, floor) -> Numbers.text(own.ratio(name, floor, 0.5)));
    }

    static Column quartiles(String title, String name) {
        return of(
                title,
                (contender, own, floor) -> Numbers.range(own.ratio(name, floor, 0.25), own.ratio(name, floor, 0.75)));
    }
}
