package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;
import java.util.Map;

/**
 * What a measure found.
 *
 * @param measure the measure
 * @param figures of each contender, in the order of the table
 */
public record Outcome(Measure measure, Map<Contender, Figures> figures) {}
