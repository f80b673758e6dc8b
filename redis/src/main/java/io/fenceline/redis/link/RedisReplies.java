package io.fenceline.redis.link;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.spi.AcquireRequest;
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

    /** Reads {token, from}: a new grant, as requested. */
    public static Grant fresh(AcquireRequest request, List<?> answer) {
        Instant from = time(number(answer, 1));
        return new Grant(
                request.key(),
                request.lockId(),
                request.holder(),
                FencingToken.of(number(answer, 0)),
                request.tokens(),
                from,
                from.plusMillis(request.ttlMillis()));
    }

    /** Reads {token, from, until, tokens, holder}: an earlier grant to the same lock id. */
    public static Grant earlier(AcquireRequest request, List<?> answer) {
        return new Grant(
                request.key(),
                request.lockId(),
                Holder.of(text(answer, 4)),
                FencingToken.of(number(answer, 0)),
                Math.toIntExact(number(answer, 3)),
                time(number(answer, 1)),
                time(number(answer, 2)));
    }

    /** Reads {left, lock id, holder, token, tokens, from, until}. */
    public static LockRecord record(LockKey key, List<?> answer, Redaction redaction) {
        Grant grant = new Grant(
                key,
                LockId.parse(text(answer, 1)),
                Holder.of(text(answer, 2)),
                FencingToken.of(number(answer, 3)),
                Math.toIntExact(number(answer, 4)),
                time(number(answer, 5)),
                time(number(answer, 6)));
        return new LockRecord(grant, duration(number(answer, 0)), redaction);
    }
}
