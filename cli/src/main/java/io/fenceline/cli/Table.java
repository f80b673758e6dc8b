package io.fenceline.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Facts laid out for people. */
final class Table {

    private static final String GAP = "  ";

    private Table() {}

    /** One line for each fact, the labels on the left. */
    static String lines(List<Fact> facts) {
        List<List<String>> rows = new ArrayList<>();
        for (Fact fact : facts) {
            if (fact.label() != null) {
                rows.add(List.of(fact.label(), fact.text()));
            }
        }
        return aligned(rows);
    }

    /** One column for each fact, under its label. The rows, of which there is one at least, have the same facts. */
    static String columns(List<List<Fact>> records) {
        List<List<String>> rows = new ArrayList<>();
        List<String> heading = new ArrayList<>();
        for (Fact fact : records.get(0)) {
            if (fact.label() != null) {
                heading.add(fact.label().toUpperCase(Locale.ROOT));
            }
        }
        rows.add(heading);
        for (List<Fact> record : records) {
            List<String> row = new ArrayList<>();
            for (Fact fact : record) {
                if (fact.label() != null) {
                    row.add(fact.text());
                }
            }
            rows.add(row);
        }
        return aligned(rows);
    }

    /** The last column is not filled up, so that no line ends in spaces. */
    private static String aligned(List<List<String>> rows) {
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            for (int i = 0; i < row.size(); i++) {
                String cell = row.get(i);
                text.append(cell);
                if (i < row.size() - 1) {
                    text.append(" ".repeat(width(rows, i) - length(cell))).append(GAP);
                }
            }
            text.append(System.lineSeparator());
        }
        return text.toString();
    }

    private static int width(List<List<String>> rows, int column) {
        int width = 0;
        for (List<String> row : rows) {
            width = Math.max(width, length(row.get(column)));
        }
        return width;
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
