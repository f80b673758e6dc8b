package io.fenceline.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every promise of docs/guarantees.md, and every defect of docs/track-record.md, leads to tests that exist. */
class GuaranteesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path GUARANTEES = ROOT.resolve("docs/guarantees.md");
    private static final Path TRACK_RECORD = ROOT.resolve("docs/track-record.md");
    private static final Pattern LINK = Pattern.compile("\\[`([^`]+)`]\\(([^)#]+)(?:#([A-Za-z0-9_]+))?\\)");
    private static final Pattern PROMISE = Pattern.compile("(?m)^### ([GLRES]\\d+)\\b");

    @Test
    void everyLinkOfAPromiseLeadsToATestThatExists() throws IOException {
        assertLinksLeadToTests(GUARANTEES, 40);
    }

    @Test
    void everyLinkOfADefectLeadsToATestThatExists() throws IOException {
        assertLinksLeadToTests(TRACK_RECORD, 10);
    }

    @Test
    void everyDefectNamesItsPromiseAndItsTest() throws IOException {
        List<String> bare = new ArrayList<>();
        for (String line : Files.readAllLines(TRACK_RECORD)) {
            List<String> cells = List.of(line.split(" *\\| *"));
            boolean defect = line.startsWith("| ") && !line.startsWith("| Defect ");
            if (defect && (cells.size() != 5 || cells.get(2).isEmpty() || !isTest(cells.get(4)))) {
                bare.add(line);
            }
        }
        assertEquals(List.of(), bare);
    }

    private static boolean isTest(String cell) {
        return LINK.matcher(cell).find();
    }

    private static void assertLinksLeadToTests(Path page, int least) throws IOException {
        List<String> broken = new ArrayList<>();
        Matcher links = LINK.matcher(Files.readString(page));
        int found = 0;
        while (links.find()) {
            found++;
            Path file = page.resolveSibling(links.group(2)).normalize();
            String method = links.group(3);
            if (!Files.exists(file)) {
                broken.add(links.group() + ": no such file");
            } else if (method != null && !Files.readString(file).contains(" " + method + "(")) {
                broken.add(links.group() + ": no such method");
            }
        }
        assertEquals(List.of(), broken);
        assertTrue(found > least, "links found: " + found);
    }

    @Test
    void everyPromiseIsThereAndHasALink() throws IOException {
        String text = Files.readString(GUARANTEES);
        List<String> expected = new ArrayList<>();
        for (int i = 1; i <= 11; i++) {
            expected.add("G" + i);
        }
        for (int i = 1; i <= 10; i++) {
            expected.add("L" + i);
        }
        for (int i = 1; i <= 12; i++) {
            expected.add("R" + i);
        }
        for (int i = 1; i <= 4; i++) {
            expected.add("E" + i);
            expected.add("S" + i);
        }
        List<String> linked = new ArrayList<>();
        for (String section : text.split("(?m)^(?=### )")) {
            Matcher promise = PROMISE.matcher(section);
            if (promise.find() && LINK.matcher(section).find()) {
                linked.add(promise.group(1));
            }
        }
        assertEquals(new TreeSet<>(expected), new TreeSet<>(linked));
    }
}
