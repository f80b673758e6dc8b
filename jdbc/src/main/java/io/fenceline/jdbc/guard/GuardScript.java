package io.fenceline.jdbc.guard;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** A script beside the classes. */
final class GuardScript {

    private GuardScript() {}

    /** Reads one. */
    static String text(String product, String part) {
        String file = product + "-" + part + "-1.sql";
        try (InputStream script = FenceDialect.class.getResourceAsStream(file)) {
            if (script == null) {
                throw new IllegalStateException("the schema " + file + " is missing from the jar");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
