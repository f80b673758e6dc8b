package io.fenceline.micrometer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metrics and labels that a query names, as far as ours use the language.
 *
 * @param text the query
 */
record Query(String text) {

    /** What Prometheus adds to each series that it scrapes. */
    private static final Set<String> OF_THE_TARGET = Set.of("job", "instance");

    private static final Pattern METRIC = Pattern.compile("\\b(fenceline_\\w+)(?:\\{([^}]*)\\})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)\\s*\"");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on|without|ignoring)\\s*\\(([^)]*)\\)");

    /** What this query names and the scrape does not have. */
    List<String> missingIn(Scrape scrape) {
        List<String> missing = new ArrayList<>();
        Set<String> labelsOfAll = new HashSet<>(OF_THE_TARGET);
        Matcher metrics = METRIC.matcher(text);
        int found = 0;
        while (metrics.find()) {
            found++;
            Set<String> labels = scrape.labels().get(metrics.group(1));
            if (labels == null) {
                missing.add(metrics.group(1));
                continue;
            }
            labelsOfAll.addAll(labels);
            if (metrics.group(2) != null) {
                MATCHER.matcher(metrics.group(2))
                        .results()
                        .map(match -> match.group(1))
                        .filter(label -> !labels.contains(label) && !OF_THE_TARGET.contains(label))
                        .forEach(label -> missing.add(metrics.group(1) + "{" + label + "}"));
            }
        }
        if (found == 0) {
            missing.add("any metric of ours");
        }
        groupings().stream()
                .filter(label -> !labelsOfAll.contains(label))
                .forEach(label -> missing.add("label " + label));
        return missing.stream().map(name -> name + " in " + text).toList();
    }

    private List<String> groupings() {
        return GROUPING.matcher(text)
                .results()
                .flatMap(match -> List.of(match.group(1).split("\\s*,\\s*")).stream())
                .map(String::strip)
                .toList();
    }

    /** The metrics that are named. */
    Set<String> metrics() {
        Set<String> names = new HashSet<>();
        METRIC.matcher(text).results().forEach(match -> names.add(match.group(1)));
        return names;
    }

    /** The rules of a file, as its parser gives them. */
    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> rules(Map<String, Object> file) {
        List<Map<String, Object>> rules = new ArrayList<>();
        for (Map<String, Object> group : (List<Map<String, Object>>) file.get("groups")) {
            rules.addAll((List<Map<String, Object>>) group.get("rules"));
        }
        return rules;
    }
}
