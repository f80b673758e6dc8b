package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.Succession;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Locks in Fenceline's own layout. A lock is one hash, {@code PREFIX:{KEY}}, in which waiters stand in line: a release gives the
 * lock to the first of them in the same step and sends that waiter's process one message.
 */
final class FencelineLocks implements LockBackend, Succession {

    private final RedisLink link;
    private final RedisOptions options;
    private final KeyNames names;
    private final Scripts scripts;
    private final Complaints complaints;
    private final GivenUp givenUp;
    private final Waiters waiters;
    private final RedisCatalog catalog;
    private final RedisFences fences;

    FencelineLocks(RedisLink link, String where, RedisOptions options) {
        this.link = link;
        this.options = options;
        this.names = new KeyNames(options.keyPrefix());
        this.scripts = Scripts.of(options, link.countsListeners());
        this.complaints = new Complaints(where);
        this.givenUp = new GivenUp(
                (key, lockId) -> link.send(scripts.release(), new String[] {names.lock(key)}, lockId.text()));
        this.waiters = new Waiters(link, names, options.acknowledgement().replicas() == 0, givenUp);
        this.catalog = new RedisCatalog(link, scripts, names, options.redaction());
        this.fences = new RedisFences(link, complaints, options);
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        Deadline deadline = Deadline.after(request.timeout());
        return asking(deadline, request, waits -> {
            RedisLink.Acknowledged answer =
                    run(deadline, scripts.acquire(), request.key(), arguments(0, request, waits));
            ensureAcknowledged(request, answer, answer.answer(), Effect.NONE);
            return outcome(request, answer.answer());
        });
    }

    /** {@inheritDoc} Whoever is in the queue comes first in any case. The timeout of the next request does not limit the release. */
    @Override
    public Turnover succeed(LockId last, AcquireRequest next, boolean yielding) {
        waiters.giveUp(last);
        boolean[] released = new boolean[1];
        Acquisition outcome = asking(Deadline.none(), next, waits -> {
            String[] arguments = arguments(1, next, waits);
            arguments[0] = last.text();
            RedisLink.Acknowledged answer = run(Deadline.none(), scripts.succeed(), next.key(), arguments);
            List<?> itsOutcome = (List<?>) answer.answer().get(1);
            ensureAcknowledged(next, answer, itsOutcome, Effect.UNKNOWN);
            released[0] = Replies.number(answer.answer(), 0) == 1;
            return outcome(next, itsOutcome);
        });
        return new Turnover(released[0], outcome);
    }

    /** Makes a waiter known before it asks, and forgets it unless it is in line then. */
    private Acquisition asking(Deadline deadline, AcquireRequest request, Function<Boolean, Acquisition> attempt) {
        givenUp.remove(request.lockId());
        boolean waits = !request.patience().isZero() && waiters.expect(deadline, request);
        boolean mayBeQueued = false;
        try {
            Acquisition outcome = attempt.apply(waits);
            mayBeQueued = outcome instanceof Contended contended && contended.queued();
            return outcome;
        } catch (BackendException e) {
            mayBeQueued = e.effect() == Effect.UNKNOWN;
            if (mayBeQueued) {
                waiters.unanswered(request.key(), request.lockId());
            }
            throw e;
        } finally {
            if (waits && !mayBeQueued) {
                waiters.leave(request.lockId());
            }
        }
    }

    /** What an attempt is described by, after some free places. */
    private String[] arguments(int from, AcquireRequest request, boolean waits) {
        boolean block = request.tokens() > 1;
        String[] arguments = new String[from + (block ? 6 : waits ? 5 : 3)];
        arguments[from] = request.lockId().text();
        arguments[from + 1] = Long.toString(request.ttlMillis());
        arguments[from + 2] = request.holder().text();
        if (waits || block) {
            arguments[from + 3] = waits ? Long.toString(AcquireRequest.millisRoundedUp(request.patience())) : "0";
            arguments[from + 4] = waiters.name();
        }
        if (block) {
            arguments[from + 5] = Integer.toString(request.tokens());
        }
        return arguments;
    }

    private RedisLink.Acknowledged run(Deadline deadline, Script script, LockKey key, String... values) {
        String[] keys = {names.lock(key)};
        return options.acknowledgement().replicas() == 0
                ? new RedisLink.Acknowledged(link.run(deadline, script, keys, values), 0)
                : link.runAcknowledged(deadline, options.acknowledgement(), script, keys, values);
    }

    /** Undoes a grant that too few replicas have. */
    private void ensureAcknowledged(
            AcquireRequest request, RedisLink.Acknowledged answer, List<?> outcome, Effect effect) {
        if (Replies.number(outcome, 0) > 0 && isTooFew(answer)) {
            BackendException failure = tooFew(answer, effect);
            try {
                released(request.key(), request.lockId());
            } catch (BackendException notUndone) {
                failure = tooFew(answer, Effect.UNKNOWN);
                failure.addSuppressed(notUndone);
            }
            throw failure;
        }
    }

    private Acquisition outcome(AcquireRequest request, List<?> answer) {
        long token = Replies.number(answer, 0);
        if (token > 0) {
            return new Granted(answer.size() == 2 ? Replies.fresh(request, answer) : Replies.earlier(request, answer));
        }
        if (token < 0) {
            throw complaints.told(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    "the fencing tokens of lock '" + request.key() + "' are used up: the last was "
                            + Replies.number(answer, 1) + ", " + request.tokens() + " more were asked for",
                    null);
        }
        return new Contended(
                Replies.duration(Replies.number(answer, 1)),
                Optional.of(Holder.of(Replies.text(answer, 2))),
                Replies.number(answer, 3) == 1);
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        long ttlMillis = AcquireRequest.millisRoundedUp(LockOptions.requireTtl(ttl));
        RedisLink.Acknowledged answer =
                run(Deadline.none(), scripts.extend(), key, lockId.text(), Long.toString(ttlMillis));
        long end = Replies.number(answer.answer(), 0);
        if (end > 0 && isTooFew(answer)) {
            throw tooFew(answer, Effect.UNKNOWN);
        }
        return end == 0 ? Optional.empty() : Optional.of(Replies.time(end));
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        waiters.giveUp(lockId);
        return released(key, lockId);
    }

    private boolean released(LockKey key, LockId lockId) {
        return Replies.number(link.run(scripts.release(), new String[] {names.lock(key)}, lockId.text()), 0) == 1;
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        List<?> answer = link.run(scripts.lookup(), new String[] {names.lock(key)});
        return answer.isEmpty() ? Optional.empty() : Optional.of(Replies.record(key, answer, options.redaction()));
    }

    /**
     * {@inheritDoc}
     *
     * <p>An index by lock id could not be kept in the same step in a cluster and would cost every acquire a write elsewhere, so
     * this walks over the keys of every master, a thousand in each round trip.
     */
    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return catalog.find(lockId);
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return Stream.of(this, waiters, catalog, fences.catalog(), new RedisDiagnosis(link, options))
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    @Override
    public void close() {
        givenUp.close();
        waiters.close();
        link.close();
    }

    private boolean isTooFew(RedisLink.Acknowledged answer) {
        return answer.replicas() < options.acknowledgement().replicas();
    }

    private BackendException tooFew(RedisLink.Acknowledged answer, Effect effect) {
        return complaints.told(
                ErrorCode.SERVICE_UNAVAILABLE,
                effect,
                answer.replicas() + " of " + options.acknowledgement().replicas()
                        + " replicas acknowledged it within "
                        + options.acknowledgement().timeout().toMillis() + " ms",
                null);
    }
}
