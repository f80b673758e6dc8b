package io.fenceline.redis;

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
 * Parses the replies of the scripts for SyncGuard's layout: the outcome, then its details. Times are milliseconds.
 *
 * @param complaints tell what cannot be used
 * @param redaction how keys and lock ids are hidden
 */
record SyncGuardReplies(Complaints complaints, Redaction redaction) {

    /** The holder of a lock that a SyncGuard process has taken: it does not say who it is. */
    static final Holder UNNAMED = Holder.of("SyncGuard");

    private static final int STRANGE = -2;
    private static final int USED_UP = -1;
    private static final int DONE = 1;
    private static final int GRANTED_BEFORE = 2;

    /** Reads {1, token, from, until}, {2, lease}, {0, left, holder}, {-1, last token} or {-2, name}. */
    Acquisition acquisition(AcquireRequest request, List<?> answer) {
        long outcome = sound(answer);
        if (outcome == DONE) {
            return new Granted(new Grant(
                    request.key(),
                    request.lockId(),
                    request.holder(),
                    FencingToken.of(Replies.number(answer, 1)),
                    request.tokens(),
                    time(answer, 2),
                    time(answer, 3)));
        } else if (outcome == GRANTED_BEFORE) {
            return new Granted(lease(answer).grant(request.key()));
        } else if (outcome == USED_UP) {
            throw usedUp(request.key(), answer, request.tokens());
        }
        return new Contended(Duration.ofMillis(Replies.number(answer, 1)), holder(Replies.text(answer, 2)));
    }

    /** Reads {1, end} or {0} or {-2, name}. */
    Optional<Instant> end(List<?> answer) {
        return sound(answer) == DONE ? Optional.of(time(answer, 1)) : Optional.empty();
    }

    /** Reads {1} or {0} or {-2, name}. */
    boolean done(List<?> answer) {
        return sound(answer) == DONE;
    }

    /** Reads {1, lease} or {0} or {-2, name}; of an act that costs a token also {-1, last token}. */
    Optional<LockRecord> record(LockKey key, List<?> answer) {
        long outcome = sound(answer);
        if (outcome == USED_UP) {
            throw usedUp(key, answer, 1);
        }
        return outcome == DONE ? Optional.of(record(lease(answer), key)) : Optional.empty();
    }

    /** Reads the same without knowing the key. */
    Optional<LockRecord> record(List<?> answer) {
        return sound(answer) == DONE ? Optional.of(record(lease(answer))) : Optional.empty();
    }

    /** Describes a lease whose key is in its record. */
    LockRecord record(Described lease) {
        return record(lease, lease.key());
    }

    /** Reads {1, token} or {-2, name}; empty for the counter of a fresh key. */
    Optional<FencingToken> token(List<?> answer) {
        sound(answer);
        long last = Replies.number(answer, 1);
        // SyncGuard's own limit compares texts and lets longer ones pass; none of them can be used.
        return last == 0 ? Optional.empty() : Optional.of(FencingToken.of(Math.min(last, FencingToken.MAX_VALUE)));
    }

    /** Who holds a lock, if its record says so in a way that can be used. */
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

    private long sound(List<?> answer) {
        long outcome = Replies.number(answer, 0);
        if (outcome == STRANGE) {
            throw damaged(
                    "'" + Replies.text(answer, 1) + "' holds nothing that SyncGuard writes there; look at it with GET,"
                            + " and delete it if nobody needs it");
        }
        return outcome;
    }

    private BackendException usedUp(LockKey key, List<?> answer, int tokens) {
        return damaged("the fencing tokens of lock '" + key + "' are used up: the last was " + Replies.text(answer, 1)
                + ", " + tokens + " more were asked for");
    }

    private BackendException damaged(String what) {
        return complaints.told(ErrorCode.INTERNAL, Effect.NONE, what, null);
    }

    private static Instant time(List<?> answer, int index) {
        return Instant.ofEpochMilli(Replies.number(answer, index));
    }

    /**
     * A lease as the scripts describe it: {left, lock id, token, from, until, key, holder, tokens}.
     *
     * @param replies tell what cannot be used
     * @param parts texts
     */
    record Described(SyncGuardReplies replies, List<?> parts) {

        Duration left() {
            return Duration.ofMillis(Replies.number(parts, 0));
        }

        LockKey key() {
            return read(5, LockKey::of);
        }

        Grant grant(LockKey key) {
            return new Grant(
                    key,
                    read(1, LockId::parse),
                    replies.holder(Replies.text(parts, 6)).orElse(UNNAMED),
                    read(2, FencingToken::parse),
                    Replies.text(parts, 7).isEmpty() ? 1 : read(7, Integer::parseInt),
                    time(parts, 3),
                    time(parts, 4));
        }

        private <T> T read(int index, Function<String, T> reader) {
            String text = Replies.text(parts, index);
            try {
                return reader.apply(text);
            } catch (IllegalArgumentException e) {
                throw replies.damaged(
                        "a record of key '" + Replies.text(parts, 5) + "' cannot be used: " + e.getMessage());
            }
        }
    }
}
