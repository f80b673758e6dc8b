package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;
import java.util.Map;

/**
 * The result of one measure.
 *
 * @param measure the measure
 * @param figures of each contender, in the order of the table
 */
public record Outcome(Measure measure, Map<Contender, Figures> figures) {}
