package io.fenceline.redis.syncguard;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.internal.syncguard.StorageNames;
import io.fenceline.redis.link.RedisScript;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Names of SyncGuard's Redis keys for a lock, and of our audit records beside them.
 *
 * <p>SyncGuard's names are flat: the lock of the key {@code id:…} may have the name of another lock's index, and that of {@code
 * fence:PREFIX:…} the name of another lock's counter. SyncGuard lets such a key destroy the other lock; we refuse it before
 * sending anything. All other keys are ordinary.
 *
 * @param names SyncGuard's names
 * @param own our key prefix; fences of guarded data are below it
 */
public record SyncGuardNames(StorageNames names, String own) {

    private static final Pattern INDEX = Pattern.compile("id:[A-Za-z0-9_-]{22}");
    private static final Pattern HASH = Pattern.compile("[A-Za-z0-9_-]{22}");

    public String lock(LockKey key) {
        return names.lock(ordinary(key));
    }

    public String index(LockId lockId) {
        return names.index(lockId.text());
    }

    public String fence(LockKey key) {
        return names.fence(ordinary(key));
    }

    /** Returns the audit record of a lock. */
    public String audit(LockKey key) {
        return ownBegin() + "audit:" + lock(key);
    }

    /** Returns the prefix of the indexes by lock id. */
    public String indexes() {
        return prefixed("id:");
    }

    /** Returns a pattern that matches all locks whose keys start with a text, and possibly others. */
    public String pattern(String start) {
        return RedisScript.literal(prefixed(isEverHashed() ? "" : start)) + "*";
    }

    /** Returns a pattern that matches all counters of keys that start with a text, and possibly others. */
    public String fencePattern(String start) {
        return RedisScript.literal(fences() + (isEverHashed() ? "" : start)) + "*";
    }

    /** Returns the key whose counter has this name; empty if there is none, or its name was hashed. */
    public Optional<LockKey> keyOfFence(String name) {
        try {
            LockKey key = LockKey.of(name.substring(fences().length()));
            return fence(key).equals(name) ? Optional.of(key) : Optional.empty();
        } catch (IllegalArgumentException | IndexOutOfBoundsException notOurs) {
            return Optional.empty();
        }
    }

    /** Prefix of the names of counters. */
    private String fences() {
        return prefixed(counters());
    }

    /** Returns whether a name is that of a key's lock, and the key can be locked in this layout. */
    public boolean isNameOf(String name, LockKey key) {
        return conflict(key).isEmpty() && names.lock(key.value()).equals(name);
    }

    private String ordinary(LockKey key) {
        String conflict = conflict(key);
        if (!conflict.isEmpty()) {
            throw new IllegalArgumentException(
                    "lock key '" + key + "' cannot be locked in SyncGuard's layout, whose names are" + " flat: '"
                            + prefixed(key.value()) + "' " + conflict + "; choose another key");
        }
        return key.value();
    }

    private String conflict(LockKey key) {
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

    /** Prefix of the keys whose locks would have the names of counters. */
    private String counters() {
        return Normalizer.normalize("fence:" + prefixed(""), Normalizer.Form.NFC);
    }

    /** Returns whether a hash can replace a long key. The longest name is a counter's, with two prefixes. */
    private boolean isEverHashed() {
        int prefix = names.prefix().getBytes(StandardCharsets.UTF_8).length;
        return "fence:".length() + 2 * (prefix + 1) + LockKey.MAX_BYTES + names.reserveBytes() > names.limitBytes();
    }

    /** Prefix of our own names: outside of SyncGuard's, in the same cluster slot. */
    private String ownBegin() {
        return names.prefix() + "#";
    }

    private String prefixed(String name) {
        return names.prefix().isEmpty() ? name : names.prefix() + ":" + name;
    }
}
