package io.fenceline.jdbc.guard;

import io.fenceline.ResourceName;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The name that a table's row has as a resource. */
final class RowName {

    private RowName() {}

    /** Returns {@code table/row}, as triggers name it, or a hash of the row where that is too long, or would be another text when normalised. */
    static String of(String table, String row) {
        String plain = table + "/" + row;
        return isPlain(plain) ? plain : table + "/sha256:" + hash(row);
    }

    private static boolean isPlain(String name) {
        try {
            return ResourceName.of(name).value().equals(name);
        } catch (IllegalArgumentException unfit) {
            return false;
        }
    }

    private static String hash(String row) {
        try {
            // UTF-16, since it has a form for every text.
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(row.getBytes(StandardCharsets.UTF_16BE)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
