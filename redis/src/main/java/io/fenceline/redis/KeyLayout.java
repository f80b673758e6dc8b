package io.fenceline.redis;

import io.fenceline.internal.syncguard.StorageNames;

/** Names and structure of the Redis keys that hold locks. All clients that share locks need the same layout. */
public sealed interface KeyLayout {

    /**
     * Returns Fenceline's own layout: one hash for each lock, with a wait queue; works in clusters.
     *
     * @return the layout of {@link RedisOptions#defaults()}
     */
    static KeyLayout fenceline() {
        return new Fenceline();
    }

    /**
     * Returns the layout of SyncGuard 2.x: its processes and ours are mutually exclusive and share one token counter.
     *
     * @param prefix the {@code keyPrefix} of the SyncGuard processes, {@code syncguard} unless they say otherwise
     * @return the layout
     * @throws IllegalArgumentException if SyncGuard does not allow the prefix, or it leaves no room for a key
     */
    static KeyLayout syncGuard(String prefix) {
        return new SyncGuard(prefix);
    }

    /** Fenceline's own layout. */
    record Fenceline() implements KeyLayout {}

    /**
     * SyncGuard's layout: {@code PREFIX:KEY} is the lock, {@code PREFIX:id:LOCKID} finds it by its lock id, {@code
     * PREFIX:fence:PREFIX:KEY} counts its tokens.
     *
     * @param prefix the {@code keyPrefix} of the SyncGuard processes, without colons at its end; may be empty
     */
    record SyncGuard(String prefix) implements KeyLayout {

        /**
         * Strips trailing colons of the prefix.
         *
         * @throws IllegalArgumentException if SyncGuard does not allow the prefix, it has a lone surrogate, or it leaves no room
         *     for a key
         */
        public SyncGuard {
            if (prefix.contains("fence:") || prefix.endsWith("fence")) {
                throw new IllegalArgumentException(
                        "prefix is '" + prefix
                                + "'; SyncGuard allows none that contains 'fence:' or ends with 'fence', which its counters use");
            }
            if (prefix.codePoints().anyMatch(c -> c <= 0xFFFF && Character.isSurrogate((char) c))) {
                throw new IllegalArgumentException("prefix has a lone surrogate, which UTF-8 cannot express");
            }
            prefix = StorageNames.onRedis(prefix).prefix();
            StorageNames.onRedis(prefix).lock("x".repeat(1000)); // checks that a hash fits
        }

        /** Returns whether all keys of this layout are in one cluster slot. */
        boolean hasHashTag() {
            int start = prefix.indexOf('{');
            return start >= 0 && prefix.indexOf('}', start) > start + 1;
        }
    }
}
