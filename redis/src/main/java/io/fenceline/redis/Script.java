package io.fenceline.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * One step that a server runs as a whole.
 *
 * @param text Lua
 * @param sha the name by which a server knows the script once it has seen its text
 * @param changes whether it can change anything
 */
record Script(String text, String sha, boolean changes) {

    /** Returns the script that these resources make, in this order, after these constants. */
    static Script joined(boolean changes, String constants, String... names) {
        return of(changes, text(constants, names));
    }

    /** Returns the script with this text. */
    static Script of(boolean changes, String text) {
        return new Script(text, sha1(text), changes);
    }

    /** Returns these resources, in this order, after these constants. */
    static String text(String constants, String... names) {
        StringBuilder text = new StringBuilder(constants);
        for (String name : names) {
            text.append('\n').append(resource(name + ".lua"));
        }
        return text.toString();
    }

    private static String resource(String name) {
        try (InputStream in = Script.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing from fenceline-redis");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform must offer SHA-1", e);
        }
    }
}
