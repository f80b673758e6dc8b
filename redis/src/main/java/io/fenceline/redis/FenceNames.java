package io.fenceline.redis;

import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.redis.link.RedisScript;
import io.lettuce.core.cluster.SlotHash;

/**
 * Redis keys of fences and clocks. The fence of a key is {@code PREFIX:fence:{KEY}}, which is in the same cluster slot as the
 * key. A key with a brace has the fence {@code PREFIX:fence:{TAG}:KEY}: the tag is the key's own hash tag, or else a number that
 * hashes to the key's slot.
 *
 * <p>A tag ends at the first closing brace, so no two keys share a fence.
 */
record FenceNames(String prefix) {

    /** Returns the name of a key's fence. */
    String fence(ResourceName key) {
        return begin() + rest(key.value());
    }

    /** Returns the audit record of a key's fence. */
    String audit(ResourceName key) {
        return prefix + ":fence-audit:{" + rest(key.value());
    }

    /** Returns the name of a clock. */
    String clock(LockKey name) {
        return prefix + ":clock:{" + LockNames.encoded(name.value()) + "}";
    }

    /** Returns the prefix of all fences, before the tag. */
    String begin() {
        return prefix + ":fence:{";
    }

    /** Returns the pattern of all fences. */
    String pattern() {
        return RedisScript.literal(begin()) + "*";
    }

    /** Returns the key whose fence has this name. */
    String key(String fence) {
        int end = fence.indexOf('}', begin().length());
        return end == fence.length() - 1 ? fence.substring(begin().length(), end) : fence.substring(end + 2);
    }

    /**
     * Checks the name of guarded data.
     *
     * @throws IllegalArgumentException if it breaks the rules of {@link ResourceName} or is one of Fenceline's own keys
     */
    ResourceName data(String key) {
        ResourceName name = ResourceName.of(key);
        String own = name.value();
        if (own.startsWith(prefix + ":{")
                || own.startsWith(begin())
                || own.startsWith(prefix + ":fence-audit:{")
                || own.startsWith(prefix + ":clock:{")) {
            throw new IllegalArgumentException("key '" + key + "' is reserved for Fenceline, whose keys begin with '"
                    + prefix + ":'; choose another key, or another RedisOptions.keyPrefix");
        }
        return name;
    }

    private static String rest(String key) {
        return key.indexOf('{') < 0 && key.indexOf('}') < 0 ? key + "}" : tag(key) + "}:" + key;
    }

    private static String tag(String key) {
        int start = key.indexOf('{');
        int end = key.indexOf('}', start + 1);
        if (start >= 0 && end > start + 1) {
            return key.substring(start + 1, end);
        }
        return key.indexOf('}') < 0 ? key : Integer.toString(SlotNumbers.in(SlotHash.getSlot(key)));
    }
}
