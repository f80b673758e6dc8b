package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;
import java.util.List;
import java.util.Map;

/** Something to find out of every contender, and the table that shows it. */
public interface Measure {

    /** Returns its name on the command line and in files. */
    String name();

    /** Returns the heading of its table. */
    String title();

    /** Returns what its columns mean, in a sentence or some. */
    String explanation();

    /** Returns the table's columns after the contender's name. */
    List<Column> columns();

    /** Returns whether it makes sense for a contender. */
    boolean suits(Contender contender);

    /** Returns how often each contender has its turn. */
    int rounds(Pace pace);

    /** Does a round that does not count, and returns numbers that are counted rather than timed. */
    Map<String, Double> warmUp(Contender contender, Bench bench) throws Exception;

    /** Does a round and returns its numbers. */
    Map<String, Double> round(Contender contender, Bench bench) throws Exception;

    /** Returns the number that progress is told with, and its unit. */
    String headline();
}
