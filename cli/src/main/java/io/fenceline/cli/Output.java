package io.fenceline.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Prints a command's results: as text, or as one line of JSON. */
final class Output {

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    /** Prints one thing: a line for each fact, or an object. */
    void one(PrintWriter out, List<Fact> facts) throws IOException {
        if (json) {
            out.println(jsonText(generator -> writeObject(generator, facts)));
        } else {
            out.print(Table.lines(facts));
        }
        out.flush();
    }

    /**
     * Prints several things: a table with a column for each fact, or an array of objects.
     *
     * @param nothing what people read if there are none
     */
    void many(PrintWriter out, List<List<Fact>> rows, String nothing) throws IOException {
        if (json) {
            out.println(jsonText(generator -> {
                generator.writeStartArray();
                for (List<Fact> row : rows) {
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

    boolean isJson() {
        return json;
    }

    @FunctionalInterface
    private interface Document {
        void writeTo(JsonGenerator generator) throws IOException;
    }

    /** ASCII alone, since nobody knows the encoding that the reader of our standard output expects. */
    private static String jsonText(Document document) throws IOException {
        StringWriter text = new StringWriter();
        JsonFactory factory =
                JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
        try (JsonGenerator generator = factory.createGenerator(text)) {
            document.writeTo(generator);
        }
        return text.toString();
    }

    private static void writeObject(JsonGenerator generator, List<Fact> facts) throws IOException {
        generator.writeStartObject();
        for (Fact fact : facts) {
            generator.writeFieldName(fact.name());
            writeValue(generator, fact.value());
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
