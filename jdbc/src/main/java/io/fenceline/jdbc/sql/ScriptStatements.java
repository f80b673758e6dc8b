package io.fenceline.jdbc.sql;

import java.util.ArrayList;
import java.util.List;

/**
 * A script as the command line client reads it: statements end with a semicolon at the end of a line, or with what a {@code
 * DELIMITER} line says.
 */
public record ScriptStatements(String text) {

    /**
     * Takes it apart.
     *
     * @return its statements in order, without the marks and without comments between them
     */
    public List<String> statements() {
        List<String> statements = new ArrayList<>();
        StringBuilder statement = new StringBuilder();
        String end = ";";
        for (String line : text.lines().toList()) {
            boolean between = statement.length() == 0;
            if (between && line.startsWith("DELIMITER ")) {
                end = line.substring("DELIMITER ".length()).strip();
            } else if (!between || !(line.isBlank() || line.startsWith("--"))) {
                boolean last = line.endsWith(end);
                statement
                        .append(last ? line.substring(0, line.length() - end.length()) : line)
                        .append('\n');
                if (last) {
                    statements.add(statement.toString().strip());
                    statement.setLength(0);
                }
            }
        }
        return statements;
    }
}
