package io.fenceline.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Aligned text of fields. */
final class Table {

    private static final String GAP = "  ";

    private Table() {}

    /** One line for each field: label and value. */
    static String lines(List<OutputField> fields) {
        List<List<String>> rows = new ArrayList<>();
        for (OutputField field : fields) {
            if (field.label() != null) {
                rows.add(List.of(field.label(), field.text()));
            }
        }
        return aligned(rows);
    }

    /** One column for each field, under its label. There is at least one record, and all have the same fields. */
    static String columns(List<List<OutputField>> records) {
        List<List<String>> rows = new ArrayList<>();
        List<String> heading = new ArrayList<>();
        for (OutputField field : records.get(0)) {
            if (field.label() != null) {
                heading.add(field.label().toUpperCase(Locale.ROOT));
            }
        }
        rows.add(heading);
        for (List<OutputField> record : records) {
            List<String> row = new ArrayList<>();
            for (OutputField field : record) {
                if (field.label() != null) {
                    row.add(field.text());
                }
            }
            rows.add(row);
        }
        return aligned(rows);
    }

    /** The last column is not padded. */
    private static String aligned(List<List<String>> rows) {
        int columns = rows.isEmpty() ? 0 : rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], length(row.get(i)));
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            for (int i = 0; i < columns - 1; i++) {
                String cell = row.get(i);
                text.append(cell).append(" ".repeat(widths[i] - length(cell))).append(GAP);
            }
            text.append(row.get(columns - 1)).append(System.lineSeparator());
        }
        return text.toString();
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
