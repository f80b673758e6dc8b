package io.fenceline.micrometer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Prometheus gets: the names of all series with the labels that they have.
 *
 * @param labels by the name of the metric
 */
record Scrape(Map<String, Set<String>> labels) {

    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-zA-Z_:][\\w:]*)(?:\\{([^}]*)\\})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

    static Scrape of(String text) {
        Map<String, Set<String>> labels = new HashMap<>();
        Matcher samples = SAMPLE.matcher(text);
        while (samples.find()) {
            Set<String> known = labels.computeIfAbsent(samples.group(1), name -> new HashSet<>());
            if (samples.group(2) != null) {
                LABEL.matcher(samples.group(2)).results().forEach(label -> known.add(label.group(1)));
            }
        }
        return new Scrape(labels);
    }
}
