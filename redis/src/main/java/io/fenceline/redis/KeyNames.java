package io.fenceline.redis;

import io.fenceline.LockKey;

/**
 * The names of what is kept for a lock: {@code PREFIX:{KEY}} and {@code PREFIX:{KEY}:audit}.
 *
 * <p>What is in braces decides where a cluster keeps it, so all of one lock is kept together. A closing brace in the key is
 * written as {@code %7D} and a percent sign as {@code %25}; so the braces end where they should, no two keys share a name,
 * and none reaches the record of another.
 */
record KeyNames(String prefix) {

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
        return literal(prefix + ":{" + encoded(start)) + "*}";
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

    /** Returns a pattern in which no character is special. */
    static String literal(String text) {
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
