package io.fenceline.sharding;

import io.fenceline.LockKey;
import io.fenceline.spi.LockBackend;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.Comparator;

/**
 * One of several stores.
 *
 * @param name its name in the configuration, which decides which keys it has
 * @param backend the store
 */
record Shard(String name, LockBackend backend) {

    /**
     * Returns the shard of a key by rendezvous hashing (Thaler and Ravishankar, 1998): each shard has a weight for the key, and the
     * greatest wins. So only the keys of a shard that is removed move, and those that a new shard wins. The weight is the first eight
     * bytes of the SHA-256 of name, line feed and key in UTF-8, as an unsigned number: easy to repeat in any language.
     *
     * @throws IllegalArgumentException if the key is one that {@link StoreRecords} keeps the records under
     */
    static Shard of(LockKey key, Collection<Shard> shards) {
        if (StoreRecords.isRecord(key)) {
            throw new IllegalArgumentException("key '" + key
                    + "' begins like the records of which stores belong together, and is no lock of several stores");
        }
        MessageDigest digest = sha256();
        byte[] text = ("\n" + key.value()).getBytes(StandardCharsets.UTF_8);
        return shards.stream()
                .max(Comparator.comparing(shard -> shard.weight(digest, text), Long::compareUnsigned))
                .orElseThrow();
    }

    /** Returns an ability that the store is known to have. */
    <T> T ability(Class<T> type) {
        return backend.ability(type).orElseThrow();
    }

    private long weight(MessageDigest digest, byte[] text) {
        digest.update(name.getBytes(StandardCharsets.UTF_8));
        return ByteBuffer.wrap(digest.digest(text)).getLong();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
