package io.fenceline.micrometer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;

/** The files that operators get: the board, the rules and the page that explains them. */
final class Operations {

    static final Path RULES =
            Path.of("../operations/prometheus").toAbsolutePath().normalize();

    private static final Path BOARD = Path.of("../operations/grafana/fenceline.json");
    private static final Path PAGE = Path.of("../docs/operating.md");

    private Operations() {}

    static String page() throws IOException {
        return Files.readString(PAGE);
    }

    /** What the page says under a heading of the second level. */
    static String section(String heading) throws IOException {
        String page = page();
        int start = page.indexOf("\n## " + heading + "\n");
        if (start < 0) {
            throw new IllegalStateException(PAGE + " has no section '" + heading + "'");
        }
        int end = page.indexOf("\n## ", start + 1);
        return page.substring(start, end < 0 ? page.length() : end);
    }

    static List<Map<String, Object>> rules() throws IOException {
        return Query.rules(new Yaml().load(Files.readString(RULES.resolve("fenceline-rules.yml"))));
    }

    /** All queries of the board: of its panels, and of its variables. */
    static List<String> boardQueries() throws IOException {
        List<String> queries = new ArrayList<>();
        try (JsonParser board = new JsonFactory().createParser(Files.readString(BOARD))) {
            while (board.nextToken() != null) {
                if (board.currentToken() == JsonToken.VALUE_STRING
                        && ("expr".equals(board.currentName()) || "definition".equals(board.currentName()))) {
                    queries.add(board.getText());
                }
            }
        }
        return queries;
    }
}
