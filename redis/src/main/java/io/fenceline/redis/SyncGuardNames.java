package io.fenceline.redis;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.internal.syncguard.StorageNames;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.regex.Pattern;

/**
 * The names of what SyncGuard keeps for a lock, and of what we keep beside it.
 *
 * <p>SyncGuard's names are flat: the lock of the key {@code id:…} may have the name of another lock's index, that of {@code
 * fence:PREFIX:…} the name of another's counter. SyncGuard lets such a key destroy the other lock; here it is refused before
 * anything is sent. All other keys are ordinary.
 *
 * @param names SyncGuard's
 * @param own what our own names start with where data is guarded, which are not below a prefix of SyncGuard's unless that is
 *     empty
 */
record SyncGuardNames(StorageNames names, String own) {

    private static final Pattern INDEX = Pattern.compile("id:[A-Za-z0-9_-]{22}");
    private static final Pattern HASH = Pattern.compile("[A-Za-z0-9_-]{22}");

    static SyncGuardNames of(KeyLayout.SyncGuard layout, RedisOptions options) {
        return new SyncGuardNames(StorageNames.onRedis(layout.prefix()), options.keyPrefix());
    }

    String lock(LockKey key) {
        return names.lock(ordinary(key));
    }

    String index(LockId lockId) {
        return names.index(lockId.text());
    }

    String fence(LockKey key) {
        return names.fence(ordinary(key));
    }

    /** Returns the list of what people did to a lock. */
    String audit(LockKey key) {
        return ownBegin() + "audit:" + lock(key);
    }

    /** Returns what the index of each lock id starts with. */
    String indexes() {
        return prefixed("id:");
    }

    /** Returns a pattern of all locks whose keys start with a text; it matches others, too. */
    String pattern(String start) {
        return KeyNames.literal(prefixed(isEverHashed() ? "" : start)) + "*";
    }

    /** Tells whether a key can be locked here, and whether a record that names it is the lock itself. */
    boolean isNameOf(String name, LockKey key) {
        return complaint(key).isEmpty() && names.lock(key.value()).equals(name);
    }

    private String ordinary(LockKey key) {
        String complaint = complaint(key);
        if (!complaint.isEmpty()) {
            throw new IllegalArgumentException(
                    "lock key '" + key + "' cannot be locked in SyncGuard's layout, whose names are" + " flat: '"
                            + prefixed(key.value()) + "' " + complaint + "; choose another key");
        }
        return key.value();
    }

    private String complaint(LockKey key) {
        String value = key.value();
        if (INDEX.matcher(value).matches()) {
            return "is where SyncGuard finds a lock by its lock id";
        }
        if (value.startsWith(counters())) {
            return "is where SyncGuard counts the tokens of another lock";
        }
        if (isEverHashed() && HASH.matcher(value).matches()) {
            return "may be the hash of another lock's name, since the prefix is so long";
        }
        if (names.prefix().isEmpty() && (value.startsWith(ownBegin()) || value.startsWith(own + ":"))) {
            return "is where Fenceline keeps things of its own";
        }
        return "";
    }

    /** What keys would start with whose locks have the names of counters. */
    private String counters() {
        return Normalizer.normalize("fence:" + prefixed(""), Normalizer.Form.NFC);
    }

    /** Whether any name can be so long that a hash takes the key's place: the longest is a counter's, with two prefixes. */
    private boolean isEverHashed() {
        int prefix = names.prefix().getBytes(StandardCharsets.UTF_8).length;
        return "fence:".length() + 2 * (prefix + 1) + LockKey.MAX_BYTES + names.reserveBytes() > names.limitBytes();
    }

    /** What our helpers' names start with: outside of what SyncGuard uses, in the same slot of a cluster. */
    private String ownBegin() {
        return names.prefix() + "#";
    }

    private String prefixed(String name) {
        return names.prefix().isEmpty() ? name : names.prefix() + ":" + name;
    }
}
