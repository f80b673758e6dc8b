package io.fenceline.jdbc.sql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Reads the SQL scripts in the jar. */
public final class ScriptFiles {

    private ScriptFiles() {}

    /** Reads a file that lies beside a class. */
    public static String read(Class<?> beside, String file) {
        try (InputStream script = beside.getResourceAsStream(file)) {
            if (script == null) {
                throw new IllegalStateException(file + " is missing from the jar of " + beside.getName());
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
