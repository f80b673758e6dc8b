package io.fenceline.redis.syncguard;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.redis.link.RedisErrors;
import io.fenceline.redis.link.RedisReplies;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Parses the replies of the scripts for SyncGuard's layout: an outcome code, then details. Times are milliseconds.
 */
record SyncGuardReplies(RedisErrors errors, Redaction redaction) {

    /** The holder of a lock taken by a SyncGuard process, which does not record one. */
    static final Holder UNNAMED = Holder.of("SyncGuard");

    private static final int FOREIGN_VALUE = -2;
    private static final int USED_UP = -1;
    private static final int DONE = 1;
    private static final int GRANTED_BEFORE = 2;

    /** Reads {1, token, from, until}, {2, lease}, {0, left, holder}, {-1, last token} or {-2, name}. */
    Acquisition acquisition(AcquireRequest request, List<?> answer) {
        long outcome = checked(answer);
        if (outcome == DONE) {
            return new Granted(new Grant(
                    request.key(),
                    request.lockId(),
                    request.holder(),
                    FencingToken.of(RedisReplies.number(answer, 1)),
                    request.tokens(),
                    time(answer, 2),
                    time(answer, 3)));
        } else if (outcome == GRANTED_BEFORE) {
            return new Granted(lease(answer).grant(request.key()));
        } else if (outcome == USED_UP) {
            throw usedUp(request.key(), answer, request.tokens());
        }
        return new Contended(Duration.ofMillis(RedisReplies.number(answer, 1)), holder(RedisReplies.text(answer, 2)));
    }

    /** Reads {1, end} or {0} or {-2, name}. */
    Optional<Instant> end(List<?> answer) {
        return checked(answer) == DONE ? Optional.of(time(answer, 1)) : Optional.empty();
    }

    /** Reads {1} or {0} or {-2, name}. */
    boolean done(List<?> answer) {
        return checked(answer) == DONE;
    }

    /** Reads {1, lease} or {0} or {-2, name}; after a forced release also {-1, last token}. */
    Optional<LockRecord> record(LockKey key, List<?> answer) {
        long outcome = checked(answer);
        if (outcome == USED_UP) {
            throw usedUp(key, answer, 1);
        }
        return outcome == DONE ? Optional.of(record(lease(answer), key)) : Optional.empty();
    }

    /** Reads the same, with the key from the record. */
    Optional<LockRecord> record(List<?> answer) {
        return checked(answer) == DONE ? Optional.of(record(lease(answer))) : Optional.empty();
    }

    /** Returns a lease with the key from its record. */
    LockRecord record(Described lease) {
        return record(lease, lease.key());
    }

    /** Reads {1, token} or {-2, name}; empty for a fresh key. */
    Optional<FencingToken> token(List<?> answer) {
        checked(answer);
        long last = RedisReplies.number(answer, 1);
        // SyncGuard compares its limit as text and accepts longer numbers; none of them is usable.
        return last == 0 ? Optional.empty() : Optional.of(FencingToken.of(Math.min(last, FencingToken.MAX_VALUE)));
    }

    /** Returns the holder, if the record has a valid one. */
    private Optional<Holder> holder(String text) {
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(Holder.of(text));
        } catch (IllegalArgumentException somebodyElses) {
            return Optional.empty();
        }
    }

    private LockRecord record(Described lease, LockKey key) {
        return new LockRecord(lease.grant(key), lease.left(), redaction);
    }

    private Described lease(List<?> answer) {
        return new Described(this, answer.subList(1, answer.size()));
    }

    private long checked(List<?> answer) {
        long outcome = RedisReplies.number(answer, 0);
        if (outcome == FOREIGN_VALUE) {
            throw damaged("'" + RedisReplies.text(answer, 1)
                    + "' holds a value that SyncGuard does not write; look at it with GET,"
                    + " and delete it if nothing needs it");
        }
        return outcome;
    }

    private BackendException usedUp(LockKey key, List<?> answer, int tokens) {
        return damaged("the fencing tokens of lock '" + key + "' are used up: the last was "
                + RedisReplies.text(answer, 1) + ", " + tokens + " more were asked for");
    }

    private BackendException damaged(String what) {
        return errors.failure(ErrorCode.INTERNAL, Effect.NONE, what, null);
    }

    private static Instant time(List<?> answer, int index) {
        return Instant.ofEpochMilli(RedisReplies.number(answer, index));
    }

    /**
     * A lease as the scripts return it: {left, lock id, token, from, until, key, holder, tokens}.
     */
    record Described(SyncGuardReplies replies, List<?> parts) {

        Duration left() {
            return Duration.ofMillis(RedisReplies.number(parts, 0));
        }

        LockKey key() {
            return read(5, LockKey::of);
        }

        Grant grant(LockKey key) {
            return new Grant(
                    key,
                    read(1, LockId::parse),
                    replies.holder(RedisReplies.text(parts, 6)).orElse(UNNAMED),
                    read(2, FencingToken::parse),
                    RedisReplies.text(parts, 7).isEmpty() ? 1 : read(7, Integer::parseInt),
                    time(parts, 3),
                    time(parts, 4));
        }

        private <T> T read(int index, Function<String, T> reader) {
            String text = RedisReplies.text(parts, index);
            try {
                return reader.apply(text);
            } catch (IllegalArgumentException e) {
                throw replies.damaged(
                        "a record of key '" + RedisReplies.text(parts, 5) + "' cannot be used: " + e.getMessage());
            }
        }
    }
}
