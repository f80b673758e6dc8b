package io.fenceline.cli.output;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Prints the result of a command, as text or as one line of JSON. */
public final class ResultOutput {

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** Prints one record: a line for each field, or a JSON object. */
    public void one(PrintWriter out, List<OutputField> fields) throws IOException {
        if (json) {
            out.println(jsonText(generator -> writeObject(generator, fields)));
        } else {
            out.print(Table.lines(fields));
        }
        out.flush();
    }

    /** Prints records: a table with a column for each field, or a JSON array. Prints {@code nothing} as text if there are none. */
    public void many(PrintWriter out, List<List<OutputField>> rows, String nothing) throws IOException {
        if (json) {
            out.println(jsonText(generator -> {
                generator.writeStartArray();
                for (List<OutputField> row : rows) {
                    writeObject(generator, row);
                }
                generator.writeEndArray();
            }));
        } else if (rows.isEmpty()) {
            out.println(nothing);
        } else {
            out.print(Table.columns(rows));
        }
        out.flush();
    }

    public boolean isJson() {
        return json;
    }

    @FunctionalInterface
    private interface Document {
        void writeTo(JsonGenerator generator) throws IOException;
    }

    /** ASCII only: the encoding that the reader expects is unknown. */
    private static String jsonText(Document document) throws IOException {
        StringWriter text = new StringWriter();
        JsonFactory factory =
                JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
        try (JsonGenerator generator = factory.createGenerator(text)) {
            document.writeTo(generator);
        }
        return text.toString();
    }

    private static void writeObject(JsonGenerator generator, List<OutputField> fields) throws IOException {
        generator.writeStartObject();
        for (OutputField field : fields) {
            generator.writeFieldName(field.name());
            writeValue(generator, field.value());
        }
        generator.writeEndObject();
    }

    private static void writeValue(JsonGenerator generator, @Nullable Object value) throws IOException {
        if (value == null) {
            generator.writeNull();
        } else if (value instanceof Long number) {
            generator.writeNumber(number);
        } else if (value instanceof Boolean truth) {
            generator.writeBoolean(truth);
        } else {
            generator.writeString(value.toString());
        }
    }
}
