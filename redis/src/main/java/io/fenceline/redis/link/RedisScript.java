package io.fenceline.redis.link;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;

/** A Lua script. {@code changes} is false for scripts that only read. */
public record RedisScript(String text, String sha, boolean changes) {

    /** Lua constants of the audit records. */
    public static final String AUDIT = "local AUDIT_LENGTH = 100\nlocal AUDIT_MILLIS = "
            + Duration.ofDays(30).toMillis();

    /** Joins constants and resources into one script. */
    public static RedisScript joined(boolean changes, String constants, String... names) {
        return of(changes, text(constants, names));
    }

    public static RedisScript of(boolean changes, String text) {
        return new RedisScript(text, sha1(text), changes);
    }

    /** Joins constants and resources into one text. */
    public static String text(String constants, String... names) {
        StringBuilder text = new StringBuilder(constants);
        for (String name : names) {
            text.append('\n').append(resource(name + ".lua"));
        }
        return text.toString();
    }

    private static String resource(String name) {
        try (InputStream in = RedisScript.class.getResourceAsStream("/io/fenceline/redis/" + name)) {
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

    /** Escapes a text for a glob pattern. */
    public static String literal(String text) {
        StringBuilder pattern = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if ("*?[]^\\".indexOf(c) >= 0) {
                pattern.append('\\');
            }
            pattern.append(c);
        }
        return pattern.toString();
    }
}
