package io.fenceline.redis;

import static java.util.Objects.requireNonNull;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.LockOptions;
import io.fenceline.ResourceName;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.redis.link.RedisReplies;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.GuardCheck;
import io.fenceline.telemetry.LockListeners;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Guards a Redis key: a value, a hash, or whatever a script writes. The resource is the key itself, in NFC; keys that Fenceline
 * reserves are refused.
 *
 * <p>The fence is a key of its own in the same cluster slot. It has no ttl, so it outlives a value that expires or is deleted.
 * Every operation is one script and one round trip, which compares the token, stores it and makes the effect atomically. Code that
 * writes to the key without this guard is not refused.
 *
 * <p>If Redis refuses the effect, for instance because the key holds another type, the token counts as seen and not as written, so a
 * retry is possible under {@link FenceRule#ONCE} too. A write of unknown effect can be repeated under {@link
 * FenceRule#AT_LEAST}; under {@code ONCE} a repetition is refused if the first one was made.
 *
 * <p>Redis replicates asynchronously, so a failover can lose the newest fences together with the writes
 * that raised them; an older holder is accepted then until the newer one writes or claims again. {@link
 * RedisOptions#withAcknowledgement} makes that rarer. A server that evicts keys without a ttl can lose fences too: use
 * {@code noeviction} or one of the {@code volatile} policies.
 */
public final class RedisFenceGuard implements FenceGuard {

    /** The answer of a script that has raised or returned an error. */
    private static final long SCRIPT_FAILED = 2;

    private final GuardedCalls calls;
    private final FenceNames names;
    private final FenceScripts scripts;
    private final LockListeners listeners;

    RedisFenceGuard(GuardedCalls calls, FenceNames names, FenceRule rule, LockListeners listeners) {
        this.calls = calls;
        this.names = names;
        this.scripts = FenceScripts.of(rule);
        this.listeners = listeners;
    }

    /**
     * Sets a value without a ttl, whatever the key held before.
     *
     * @param key the resource
     * @param value the new value
     * @param stamp the writer's key and token
     * @throws StaleTokenException if a greater token was seen; nothing is changed
     * @throws ForeignTokenException if the key belongs to another lock; nothing is changed
     * @throws BackendException if the store fails
     */
    public void set(String key, String value, FenceStamp stamp) {
        String[] arguments = FenceReplies.arguments(stamp, 1);
        arguments[2] = requireNonNull(value, "value");
        write(scripts.set(), key, stamp, arguments);
    }

    /**
     * Sets a value that expires. Its fence does not.
     *
     * @param key the resource
     * @param value the new value
     * @param ttl how long the value stays, by the server's clock, rounded up to milliseconds
     * @param stamp the writer's key and token
     * @throws IllegalArgumentException if the ttl is not positive
     * @throws StaleTokenException if a greater token was seen; nothing is changed
     * @throws ForeignTokenException if the key belongs to another lock; nothing is changed
     * @throws BackendException if the store fails
     */
    public void set(String key, String value, Duration ttl, FenceStamp stamp) {
        String[] arguments = FenceReplies.arguments(stamp, 2);
        arguments[2] = requireNonNull(value, "value");
        arguments[3] = Long.toString(AcquireRequest.millisRoundedUp(LockOptions.requireTtl(ttl)));
        write(scripts.set(), key, stamp, arguments);
    }

    /**
     * Sets fields of a hash and leaves its other fields as they are.
     *
     * @param key the resource
     * @param fields their new values, at least one
     * @param stamp the writer's key and token
     * @throws IllegalArgumentException if there are no fields
     * @throws StaleTokenException if a greater token was seen; nothing is changed
     * @throws ForeignTokenException if the key belongs to another lock; nothing is changed
     * @throws BackendException if the store fails, or the key holds no hash
     */
    public void hset(String key, Map<String, String> fields, FenceStamp stamp) {
        if (requireNonNull(fields, "fields").isEmpty()) {
            throw new IllegalArgumentException("fields of '" + key + "' are empty, at least one is needed");
        }
        String[] arguments = FenceReplies.arguments(stamp, 2 * fields.size());
        int next = 2;
        for (Map.Entry<String, String> field : fields.entrySet()) {
            String name = requireNonNull(field.getKey(), "name of a field");
            arguments[next++] = name;
            arguments[next++] = requireNonNull(field.getValue(), () -> "value of field " + name);
        }
        write(scripts.hset(), key, stamp, arguments);
    }

    /**
     * Deletes whatever the key holds. The fence stays, also where there was nothing to delete.
     *
     * @param key the resource
     * @param stamp the writer's key and token
     * @return whether there was something
     * @throws StaleTokenException if a greater token was seen; nothing is changed
     * @throws ForeignTokenException if the key belongs to another lock; nothing is changed
     * @throws BackendException if the store fails
     */
    public boolean delete(String key, FenceStamp stamp) {
        return RedisReplies.number(write(scripts.delete(), key, stamp, FenceReplies.arguments(stamp, 0)), 1) == 1;
    }

    /**
     * Runs the caller's script in the same step as the check. Every key is a resource: the stamp must be admitted to all,
     * and counts as a write to all. In a cluster they must share a hash tag.
     *
     * <p>Redis undoes nothing if a script fails in the middle; the token counts as seen then. A script is a part of the
     * program: pass external text as arguments only.
     *
     * @param script Lua, with {@code KEYS} and {@code ARGV} as always; what it returns is the answer
     * @param keys the resources, at least one
     * @param arguments the script's arguments
     * @param stamp the writer's key and token
     * @return a {@link Long}, a {@link String}, a {@link List} of such, or null, as Redis converts it
     * @throws IllegalArgumentException if there are no keys
     * @throws StaleTokenException if a greater token was seen at one of the keys; nothing is changed
     * @throws ForeignTokenException if one of the keys belongs to another lock; nothing is changed
     * @throws BackendException if the store or the script fails
     */
    public @Nullable Object run(String script, List<String> keys, List<String> arguments, FenceStamp stamp) {
        requireNonNull(script, "script");
        if (requireNonNull(keys, "keys").isEmpty()) {
            throw new IllegalArgumentException("a guarded script needs at least one key, which is what is guarded");
        }
        List<ResourceName> resources = keys.stream().map(names::data).toList();
        String[] all = new String[2 * keys.size()];
        for (int i = 0; i < keys.size(); i++) {
            all[i] = names.fence(resources.get(i));
            all[keys.size() + i] = resources.get(i).value();
        }
        String[] values = FenceReplies.arguments(
                stamp, requireNonNull(arguments, "arguments").size());
        for (int i = 0; i < arguments.size(); i++) {
            values[2 + i] = requireNonNull(arguments.get(i), "one of the arguments");
        }
        try (GuardCheck check = GuardCheck.begin(listeners, GuardAct.WRITE, keys.get(0), stamp)) {
            List<?> answer = calls.write(scripts.around(script), all, values);
            if (RedisReplies.number(answer, 0) == SCRIPT_FAILED) {
                throw new BackendException(
                        ErrorCode.INTERNAL,
                        Effect.UNKNOWN,
                        "the script failed, and may have written before: " + RedisReplies.text(answer, 1),
                        null);
            }
            Verdict verdict = FenceReplies.verdict(answer);
            if (!verdict.isAccepted()) {
                verdict.orThrow(keys.get(Math.toIntExact(RedisReplies.number(answer, 2)) - 1), stamp, listeners);
            }
            check.accepted();
            return answer.size() > 1 ? answer.get(1) : null;
        }
    }

    /**
     * Reads a value from the master, without a guard.
     *
     * @param key the resource
     * @return the value, or empty if there is none
     * @throws BackendException if the store fails, or the key holds no value
     */
    public Optional<String> get(String key) {
        return Optional.ofNullable(
                (String) calls.read(scripts.get(), names.data(key).value()).get(0));
    }

    /**
     * Reads a hash from the master, without a guard.
     *
     * @param key the resource
     * @return its fields, none if there is no hash
     * @throws BackendException if the store fails, or the key holds no hash
     */
    public Map<String, String> hgetAll(String key) {
        List<?> answer = calls.read(scripts.hgetall(), names.data(key).value());
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < answer.size(); i += 2) {
            fields.put(RedisReplies.text(answer, i), RedisReplies.text(answer, i + 1));
        }
        return fields;
    }

    @Override
    public void claim(String resource, FenceStamp stamp) {
        String[] keys = {names.fence(names.data(resource))};
        try (GuardCheck check = GuardCheck.begin(listeners, GuardAct.CLAIM, resource, stamp)) {
            FenceReplies.verdict(calls.write(scripts.claim(), keys, FenceReplies.arguments(stamp, 0)))
                    .orThrow(resource, stamp, listeners);
            check.accepted();
        }
    }

    @Override
    public Verdict check(String resource, FenceStamp stamp) {
        String fence = names.fence(names.data(resource));
        return FenceReplies.verdict(calls.read(scripts.check(), fence, FenceReplies.arguments(stamp, 0)));
    }

    @Override
    public Optional<FenceStamp> highest(String resource) {
        List<?> answer = calls.read(scripts.highest(), names.fence(names.data(resource)));
        return answer.isEmpty()
                ? Optional.empty()
                : Optional.of(FenceReplies.fence(answer, 0).stamp());
    }

    private List<?> write(RedisScript script, String key, FenceStamp stamp, String... arguments) {
        ResourceName resource = names.data(key);
        try (GuardCheck check = GuardCheck.begin(listeners, GuardAct.WRITE, key, stamp)) {
            List<?> answer = calls.write(script, new String[] {names.fence(resource), resource.value()}, arguments);
            FenceReplies.verdict(answer).orThrow(key, stamp, listeners);
            return check.accepted(answer);
        }
    }
}
