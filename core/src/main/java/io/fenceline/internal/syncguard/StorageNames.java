package io.fenceline.internal.syncguard;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Base64;

/**
 * Storage names of SyncGuard 2.x: {@code PREFIX:KEY}, or a hash of the name if it would be too long for the store.
 *
 * @param prefix prefix of all names, without trailing colons; may be empty
 * @param limitBytes the longest name in the store, in bytes of UTF-8
 * @param reserveBytes bytes kept free for derived names
 */
public record StorageNames(String prefix, int limitBytes, int reserveBytes) {

    private static final int HASH_BYTES = 16;

    /**
     * Strips trailing colons of the prefix.
     *
     * @throws IllegalArgumentException if the prefix and the reserve leave no room for a key
     */
    public StorageNames {
        prefix = withoutColons(prefix);
        int taken = bytes(prefix) + (prefix.isEmpty() ? 0 : 1) + reserveBytes;
        if (taken > limitBytes) {
            throw new IllegalArgumentException(
                    "prefix '" + prefix + "' and a reserve of " + reserveBytes + " bytes take " + taken
                            + " bytes, and a name has " + limitBytes + " at most; take a shorter prefix");
        }
    }

    /**
     * Returns the names on Redis.
     *
     * @param prefix SyncGuard's {@code keyPrefix}
     * @return names of at most 974 bytes
     * @throws IllegalArgumentException if the prefix leaves no room for a key
     */
    public static StorageNames onRedis(String prefix) {
        return new StorageNames(prefix, 1000, 26);
    }

    /**
     * Returns the names on PostgreSQL.
     *
     * @return names without a prefix, of at most 1700 bytes
     */
    public static StorageNames onPostgres() {
        return new StorageNames("", 1700, 0);
    }

    /**
     * Returns the names on Firestore.
     *
     * @return names without a prefix, of at most 1500 bytes
     */
    public static StorageNames onFirestore() {
        return new StorageNames("", 1500, 0);
    }

    /**
     * Returns the name of a key's lock.
     *
     * @param key the user's key, in any Unicode normal form
     * @return the name
     * @throws IllegalArgumentException if the key is empty, or the prefix leaves no room even for a hash
     */
    public String lock(String key) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("the key is empty");
        }
        String plain = prefixed(Normalizer.normalize(key, Normalizer.Form.NFC));
        if (bytes(plain) + reserveBytes <= limitBytes) {
            return plain;
        }
        String hashed = prefixed(hash(plain));
        if (bytes(hashed) + reserveBytes > limitBytes) {
            throw new IllegalArgumentException(
                    "prefix '" + prefix + "' leaves no room for the hash of a long key within " + limitBytes
                            + " bytes; take a shorter prefix");
        }
        return hashed;
    }

    /**
     * Returns the name of a key's counter of fencing tokens. It contains the lock's name, so the prefix occurs twice.
     *
     * @param key the user's key, in any Unicode normal form
     * @return the name
     * @throws IllegalArgumentException as {@link #lock} does
     */
    public String fence(String key) {
        return lock("fence:" + lock(key));
    }

    /**
     * Returns the name under which the lock's name is found by a lock id.
     *
     * @param lockId the text of a lock id
     * @return the name
     * @throws IllegalArgumentException as {@link #lock} does
     */
    public String index(String lockId) {
        return lock("id:" + lockId);
    }

    private String prefixed(String name) {
        return prefix.isEmpty() ? name : prefix + ":" + name;
    }

    private static String withoutColons(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ':') {
            end--;
        }
        return text.substring(0, end);
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String hash(String name) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest, HASH_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
