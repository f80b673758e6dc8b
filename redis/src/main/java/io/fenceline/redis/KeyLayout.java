package io.fenceline.redis;

import io.fenceline.internal.syncguard.StorageNames;

/** The names and the form of the Redis keys in which locks are kept. All that share locks must have the same layout. */
public sealed interface KeyLayout {

    /**
     * Returns Fenceline's own layout: one hash for each lock, a queue of waiters, clusters without further ado.
     *
     * @return the layout of {@link RedisOptions#defaults()}
     */
    static KeyLayout fenceline() {
        return new Fenceline();
    }

    /**
     * Returns the layout of SyncGuard 2.x, so that its processes and ours exclude one another and count their tokens together.
     *
     * @param prefix the {@code keyPrefix} of the SyncGuard processes, {@code syncguard} unless they say otherwise
     * @return the layout
     * @throws IllegalArgumentException if SyncGuard would refuse the prefix, or it leaves no room for a key
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
         * Strips the colons at the prefix's end.
         *
         * @throws IllegalArgumentException if SyncGuard would refuse the prefix, it has a lone surrogate, or it leaves no room
         *     for a key
         */
        public SyncGuard {
            if (prefix.contains("fence:") || prefix.endsWith("fence")) {
                throw new IllegalArgumentException(
                        "prefix is '" + prefix
                                + "'; SyncGuard takes none that contains 'fence:' or ends with 'fence', where its counters are");
            }
            if (prefix.codePoints().anyMatch(c -> c <= 0xFFFF && Character.isSurrogate((char) c))) {
                throw new IllegalArgumentException("prefix has a lone surrogate, which UTF-8 cannot express");
            }
            prefix = StorageNames.onRedis(prefix).prefix();
            StorageNames.onRedis(prefix).lock("x".repeat(1000)); // needs room for a hash, as any long key may
        }

        /** Tells whether all names of this layout lie in one slot of a cluster. */
        boolean hasHashTag() {
            int start = prefix.indexOf('{');
            return start >= 0 && prefix.indexOf('}', start) > start + 1;
        }
    }
}
