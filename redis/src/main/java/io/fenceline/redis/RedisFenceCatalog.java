package io.fenceline.redis;

import io.fenceline.FenceStamp;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.FenceGuard;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.link.RedisReplies;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.spi.Checks;
import io.fenceline.telemetry.LockListeners;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lists fences and changes them for operators. The last hundred acts on a fence are kept for thirty days in a list beside it.
 */
final class RedisFenceCatalog implements FenceCatalog {

    private static final String STEP = "1000";

    private static final RedisScript FIND = RedisScript.joined(false, "", "guard/read", "guard/find");
    private static final RedisScript RAISE =
            RedisScript.joined(true, RedisScript.AUDIT, "time", "audit", "guard/fence", "guard/read", "guard/raise");
    private static final RedisScript REBIND =
            RedisScript.joined(true, RedisScript.AUDIT, "time", "audit", "guard/rebind");

    private final RedisLink link;
    private final GuardedCalls calls;
    private final FenceNames names;
    private final FenceGuard guard;

    RedisFenceCatalog(RedisLink link, GuardedCalls calls, FenceNames names, FenceGuard guard) {
        this.link = link;
        this.calls = calls;
        this.names = names;
        this.guard = guard;
    }

    @Override
    public FenceGuard guard() {
        return guard;
    }

    /** {@inheritDoc} Sorted by code points. Scans all keys, a thousand in each round trip. */
    @Override
    public Map<String, Fence> list(String prefix, int limit) {
        Checks.limit(limit);
        Map<byte[], Fence> found = new TreeMap<>(Arrays::compareUnsigned);
        for (RedisLink.Node node : link.masters()) {
            String cursor = "0";
            do {
                List<?> step = node.run(FIND, cursor, names.pattern(), STEP, names.begin(), prefix);
                for (Object each : step.subList(1, step.size())) {
                    List<?> fence = (List<?>) each;
                    String key = names.key(RedisReplies.text(fence, 0));
                    found.put(key.getBytes(StandardCharsets.UTF_8), FenceReplies.fence(fence, 1));
                }
                cursor = RedisReplies.text(step, 0);
            } while (!cursor.equals("0"));
        }
        Map<String, Fence> listed = new LinkedHashMap<>();
        found.entrySet().stream()
                .limit(limit)
                .forEach(each -> listed.put(new String(each.getKey(), StandardCharsets.UTF_8), each.getValue()));
        return listed;
    }

    @Override
    public Fence raise(String resource, FenceStamp atLeast, Holder by) {
        String[] arguments = FenceReplies.arguments(atLeast, 1);
        arguments[2] = by.text();
        List<?> answer = calls.write(RAISE, withAudit(resource), arguments);
        FenceReplies.verdict(answer).orThrow(resource, atLeast, LockListeners.NONE);
        return FenceReplies.fence(answer, 1);
    }

    @Override
    public boolean rebind(String resource, LockKey from, LockKey to, Holder by) {
        if (from.equals(to)) {
            throw new IllegalArgumentException("'" + resource + "' cannot be given from lock '" + from
                    + "' to itself: its fence would be lowered; name another lock");
        }
        List<?> answer =
                calls.write(REBIND, withAudit(resource), from.value(), to.value(), by.text(), shown(from), shown(to));
        return RedisReplies.number(answer, 0) == 1;
    }

    private String[] withAudit(String resource) {
        ResourceName name = names.data(resource);
        return new String[] {names.fence(name), names.audit(name)};
    }

    /** Encodes a key as one word of the audit record. */
    private static String shown(LockKey key) {
        return URLEncoder.encode(key.value(), StandardCharsets.UTF_8);
    }
}
