package io.fenceline.redis.link;

import io.fenceline.LockKey;
import io.fenceline.spi.LockCatalog.KeyToken;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** A page of keys with their tokens, in the order of code points. Gathered from a scan, which finds keys in any order and some twice. */
public final class TokenPage {

    private final TreeMap<byte[], KeyToken> found = new TreeMap<>(Arrays::compareUnsigned);
    private final byte[] after;
    private final int limit;

    /** Creates an empty page of at most {@code limit} keys, all greater than {@code after}. */
    public TokenPage(String after, int limit) {
        this.after = bytes(LockKey.prefix(after));
        this.limit = limit;
    }

    /** Adds a key if it belongs to the page. */
    public void add(KeyToken token) {
        byte[] key = bytes(token.key().value());
        if (Arrays.compareUnsigned(key, after) > 0) {
            found.put(key, token);
            if (found.size() > limit) {
                found.pollLastEntry();
            }
        }
    }

    /** Returns the keys. */
    public List<KeyToken> keys() {
        return List.copyOf(found.values());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
