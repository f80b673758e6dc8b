package io.fenceline.jdbc.outbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The scripts that come with this package. */
final class SchemaText {

    private SchemaText() {}

    static String of(String name) {
        try (InputStream script = SchemaText.class.getResourceAsStream(name)) {
            if (script == null) {
                throw new IllegalStateException("the schema " + name + " is missing from the jar");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
