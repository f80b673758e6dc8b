package io.fenceline.jdbc.postgresql;

import io.fenceline.LockKey;
import io.fenceline.jdbc.product.LockTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The id that waiters and releasers of one lock derive from its key: the channel of its notifications, and the number of the
 * advisory lock that waiters share and by which a releaser sees whether there are any.
 *
 * @param number the start of a SHA-256 of table and key
 */
record SignalId(long number) {

    static SignalId of(LockTable table, LockKey key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update((table.name() + '\0' + key.value()).getBytes(StandardCharsets.UTF_8));
            return new SignalId(ByteBuffer.wrap(digest.digest()).getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** A name that needs no quotes. */
    String channel() {
        return "fenceline_" + Long.toHexString(number);
    }
}
