package io.fenceline.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page, the board and the rules against the scrape of a process that works. */
class OperationsTest {

    @TempDir
    static Path folder;

    private static Workload workload;
    private static Scrape scrape;

    @BeforeAll
    static void work() throws Exception {
        workload = new Workload(folder);
        scrape = Scrape.of(workload.registry.scrape());
    }

    @AfterAll
    static void end() {
        workload.close();
    }

    /**
     * A row of the page's table.
     *
     * @param series what the names of its series begin with in Prometheus
     */
    private record Row(String name, String series, String type, Set<String> tags) {}

    private static final Pattern ROW = Pattern.compile(
            "(?m)^\\| `(fenceline[\\w.]+)` \\| `(fenceline\\w+)` \\| ([\\w ]+) \\| ([^|]*) \\| [^|]+ \\|$");

    private static Map<String, Row> documented() throws IOException {
        Map<String, Row> rows = new TreeMap<>();
        Matcher matcher = ROW.matcher(Operations.section("Meters"));
        while (matcher.find()) {
            Set<String> tags = Pattern.compile("`(\\w+)`")
                    .matcher(matcher.group(4))
                    .results()
                    .map(tag -> tag.group(1))
                    .collect(Collectors.toCollection(TreeSet::new));
            rows.put(matcher.group(1), new Row(matcher.group(1), matcher.group(2), matcher.group(3), tags));
        }
        return rows;
    }

    @Test
    void everyMeterIsDocumentedAsItIs() throws IOException {
        Map<String, Row> documented = documented();

        for (Meter meter : workload.registry.getMeters()) {
            Meter.Id id = meter.getId();
            assertThat(documented).containsKey(id.getName());
            Row row = documented.get(id.getName());
            assertThat(row.type())
                    .as(id.getName())
                    .isEqualTo(id.getType().name().toLowerCase(Locale.ROOT).replace('_', ' '));
            assertThat(row.tags())
                    .as("tags of " + id.getName())
                    .isEqualTo(id.getTags().stream().map(Tag::getKey).collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    @Test
    void everyDocumentedMeterIsInTheScrape() throws IOException {
        Set<String> names = workload.registry.getMeters().stream()
                .map(meter -> meter.getId().getName())
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented().keySet()).isEqualTo(names);
        for (Row row : documented().values()) {
            List<String> series = Arrays.asList(row.series(), row.series() + "_count");
            assertThat(scrape.labels().keySet()).as(row.name()).containsAnyElementsOf(series);
        }
    }

    @Test
    void theMetersCountWhatHappened() {
        assertThat(workload.value("fenceline.acquire", "outcome", "acquired")).isGreaterThanOrEqualTo(3);
        assertThat(workload.value("fenceline.acquire", "outcome", "taken")).isEqualTo(1);
        assertThat(workload.value("fenceline.acquire.waiters")).isZero();
        assertThat(workload.value("fenceline.leases.held")).as("the leader's").isEqualTo(1);
        assertThat(workload.value("fenceline.leases.lost", "reason", "deadline_passed"))
                .isEqualTo(1);
        assertThat(workload.value("fenceline.guard.checks", "verdict", "accepted"))
                .isEqualTo(4);
        assertThat(workload.value("fenceline.guard.checks", "verdict", "stale")).isEqualTo(2);
        assertThat(workload.value("fenceline.guard.checks", "verdict", "foreign"))
                .isEqualTo(1);
        assertThat(workload.registry.get("fenceline.guard.stale.gap").summary().max())
                .isEqualTo(999);
        assertThat(workload.registry.get("fenceline.guard.write").timer().count())
                .isEqualTo(2);
        assertThat(workload.value("fenceline.election.term", "group", Workload.GROUP))
                .isEqualTo(1);
        assertThat(workload.value("fenceline.election.elections", "group", Workload.GROUP))
                .isEqualTo(1);
        assertThat(workload.value("fenceline.token.regressions")).isEqualTo(1);
        assertThat(workload.value("fenceline.guard.unfenced", "table", "invoice", "reason", "missing"))
                .isEqualTo(1);
    }

    @Test
    void noTagHoldsALockKeyOrAResource() {
        assertThat(workload.registry.getMeters().stream()
                        .flatMap(meter -> meter.getId().getTags().stream())
                        .map(Tag::getValue))
                .noneMatch(value -> value.contains("invoice:42") || value.contains("election:"));
    }

    @Test
    void theBoardAsksOnlyForWhatIsThere() throws IOException {
        List<String> queries = Operations.boardQueries();

        assertThat(queries).hasSizeGreaterThan(15);
        assertThat(queries.stream().flatMap(query -> new Query(query).missingIn(scrape).stream()))
                .isEmpty();
    }

    @Test
    void theBoardShowsEveryMeter() throws IOException {
        Set<String> asked = Operations.boardQueries().stream()
                .flatMap(query -> new Query(query).metrics().stream())
                .collect(Collectors.toSet());

        for (Row row : documented().values()) {
            assertThat(asked).as("panels for " + row.name()).anyMatch(metric -> metric.startsWith(row.series()));
        }
    }

    @Test
    void theRulesAskOnlyForWhatIsThere() throws IOException {
        assertThat(Operations.rules()).isNotEmpty();
        assertThat(Operations.rules().stream()
                        .flatMap(rule -> new Query((String) rule.get("expr")).missingIn(scrape).stream()))
                .isEmpty();
    }

    @Test
    @SuppressWarnings("unchecked")
    void eachAlertHasItsPlaceOnThePageAndTwoTests() throws IOException {
        String tests = java.nio.file.Files.readString(Operations.RULES.resolve("fenceline-rules-test.yml"));

        for (Map<String, Object> rule : Operations.rules()) {
            String name = (String) rule.get("alert");
            String page = ((Map<String, String>) rule.get("annotations")).get("runbook_url");
            assertThat(page).isEqualTo("docs/operating.md#" + name.toLowerCase(Locale.ROOT));
            assertThat(Operations.section("Alerts")).contains("\n### " + name + "\n");
            assertThat(tests).contains("name: " + name + " fires").contains("name: " + name + " stays quiet");
        }
    }
}
