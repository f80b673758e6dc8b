package io.fenceline.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads and writes problem details as JSON. All members but the status are strings. */
final class ProblemJson {

    /** Writes ASCII: a handler may have set any character encoding before the refusal. */
    private static final JsonFactory FACTORY =
            JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private ProblemJson() {}

    static String text(FenceProblem problem) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(text)) {
            json.writeStartObject();
            json.writeStringField("type", problem.type());
            json.writeStringField("title", problem.title());
            json.writeNumberField("status", problem.status());
            json.writeStringField("detail", problem.detail());
            for (Map.Entry<String, String> member : problem.members().entrySet()) {
                json.writeStringField(member.getKey(), member.getValue());
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return text.toString();
    }

    static Optional<FenceProblem> parse(String json) {
        try {
            Map<String, String> members = members(json);
            String type = members.getOrDefault("type", "");
            if (!type.startsWith(FenceProblem.TYPE_PREFIX)) {
                return Optional.empty();
            }
            String kind = type.substring(FenceProblem.TYPE_PREFIX.length());
            int status = Integer.parseInt(members.getOrDefault("status", "0"));
            String detail = members.getOrDefault("detail", "");
            members.keySet().removeAll(Set.of("type", "title", "status", "detail"));
            return Optional.of(new FenceProblem(kind, status, detail, members));
        } catch (IOException | NumberFormatException notOurs) {
            return Optional.empty();
        }
    }

    private static Map<String, String> members(String json) throws IOException {
        Map<String, String> members = new LinkedHashMap<>();
        try (JsonParser parser = FACTORY.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return members;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                if (parser.nextToken().isScalarValue()) {
                    members.put(name, parser.getText());
                } else {
                    parser.skipChildren();
                }
            }
        }
        return members;
    }
}
