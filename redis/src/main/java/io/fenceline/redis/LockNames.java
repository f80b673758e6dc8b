package io.fenceline.redis;

import io.fenceline.LockKey;
import io.fenceline.redis.link.RedisScript;

/**
 * Redis keys of a lock: {@code PREFIX:{KEY}} and {@code PREFIX:{KEY}:audit}.
 *
 * <p>The braces are the cluster's hash tag, so all of one lock is in one slot. In the key, a closing brace is encoded as {@code %7D}
 * and a percent sign as {@code %25}. So the tag ends where it should, and no two lock keys share a Redis key.
 */
record LockNames(String prefix) {

    String lock(LockKey key) {
        return prefix + ":{" + encoded(key.value()) + "}";
    }

    String audit(LockKey key) {
        return lock(key) + ":audit";
    }

    String channel(String process) {
        return prefix + ":waiter:" + process;
    }

    /** Returns the pattern of all locks whose keys start with a text. */
    String pattern(String start) {
        return RedisScript.literal(prefix + ":{" + encoded(start)) + "*}";
    }

    /** Returns the key whose lock has this name. */
    LockKey key(String name) {
        String encoded = name.substring(prefix.length() + 2, name.length() - 1);
        return LockKey.of(encoded.replace("%7D", "}").replace("%25", "%"));
    }

    static String encoded(String key) {
        return key.indexOf('%') < 0 && key.indexOf('}') < 0
                ? key
                : key.replace("%", "%25").replace("}", "%7D");
    }
}
