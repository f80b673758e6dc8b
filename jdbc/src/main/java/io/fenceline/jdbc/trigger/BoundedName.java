package io.fenceline.jdbc.trigger;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/** Names of triggers and functions made of a table's name: no two tables get the same, and none is longer than it may be. */
final class BoundedName {

    private static final Pattern PLAIN = Pattern.compile("[a-z0-9_]+");
    private static final int HASH_BYTES = 6;

    private BoundedName() {}

    /** The parts with dots between them, or a part of that and a hash where that would be too long or ambiguous. */
    static String of(List<String> parts, int maxBytes) {
        String joined = String.join(".", parts);
        boolean plain = parts.stream().allMatch(part -> PLAIN.matcher(part).matches());
        if (plain && joined.length() <= maxBytes) {
            return joined;
        }
        String readable = joined.replaceAll("[^A-Za-z0-9_.]", "_");
        int room = maxBytes - 1 - 2 * HASH_BYTES;
        return readable.substring(0, Math.min(room, readable.length())) + '_' + hash(String.join("\0", parts));
    }

    private static String hash(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
