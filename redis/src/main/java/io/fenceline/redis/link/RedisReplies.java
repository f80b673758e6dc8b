package io.fenceline.redis.link;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Parses script replies. Times are microseconds. */
public final class RedisReplies {

    private RedisReplies() {}

    public static Instant time(long micros) {
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000);
    }

    public static Duration duration(long micros) {
        return Duration.ofNanos(micros * 1_000);
    }

    public static long number(List<?> answer, int index) {
        Object value = answer.get(index);
        return value instanceof Long number ? number : Long.parseLong((String) value);
    }

    public static String text(List<?> answer, int index) {
        return (String) answer.get(index);
    }

    /**
     * Reads a grant as requested: {token, from, tokens}, or only {from} of a single token that is this time in steps. Reads {token,
     * from, tokens, until, holder} of an earlier grant to the same lock id.
     */
    public static Grant grant(AcquireRequest request, List<?> answer) {
        long from = number(answer, answer.size() == 1 ? 0 : 1);
        long token = answer.size() == 1 ? from / TokenMode.MICROS_PER_STEP : number(answer, 0);
        int tokens = answer.size() == 1 ? 1 : Math.toIntExact(number(answer, 2));
        boolean earlier = answer.size() == 5;
        return new Grant(
                request.key(),
                request.lockId(),
                earlier ? Holder.of(text(answer, 4)) : request.holder(),
                FencingToken.of(token),
                tokens,
                time(from),
                earlier ? time(number(answer, 3)) : time(from).plusMillis(request.ttlMillis()));
    }

    /** Reads {left, lock id, until, "token tokens from holder"}. */
    public static LockRecord record(LockKey key, List<?> answer, Redaction redaction) {
        String found = String.valueOf(text(answer, 3)); // null in a hash that is not ours
        String[] parts = found.split(" ", 4);
        if (parts.length < 4) {
            throw new IllegalArgumentException("not a grant: '" + found + "'");
        }
        Grant grant = new Grant(
                key,
                LockId.parse(text(answer, 1)),
                Holder.of(parts[3]),
                FencingToken.of(Long.parseLong(parts[0])),
                Integer.parseInt(parts[1]),
                time(Long.parseLong(parts[2])),
                time(number(answer, 2)));
        return new LockRecord(grant, duration(number(answer, 0)), redaction);
    }
}
