package io.fenceline.redis;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.redis.link.RedisErrors;
import io.fenceline.redis.link.RedisLink;
import io.fenceline.redis.link.RedisReplies;
import io.fenceline.redis.link.RedisScript;
import io.fenceline.redis.link.ReplyDeadline;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.Succession;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Locks in Fenceline's own layout. A lock is one hash, {@code PREFIX:{KEY}}, which also holds the wait queue: a release grants the
 * lock to the first waiter in the same step and sends that waiter's process one message.
 */
final class FencelineLocks implements LockBackend, Succession, BulkExtension {

    /** The server does nothing else while it extends these, for about a millisecond. */
    private static final int MAX_EXTENSIONS = 200;

    private final RedisLink link;
    private final RedisOptions options;
    private final LockNames names;
    private final LockScripts scripts;
    private final RedisErrors errors;
    private final AbandonedRequests abandoned;
    private final WaitQueueClient waiters;
    private final RedisCatalog catalog;

    FencelineLocks(RedisLink link, RedisErrors errors, RedisOptions options) {
        this.link = link;
        this.options = options;
        this.names = new LockNames(options.keyPrefix());
        this.scripts = LockScripts.of(options, link.isCluster());
        this.errors = errors;
        this.abandoned = new AbandonedRequests(
                (key, lockId) -> link.send(scripts.release(), new String[] {names.lock(key)}, lockId.text()));
        this.waiters =
                new WaitQueueClient(link, names, options.acknowledgement().replicas() == 0, abandoned);
        this.catalog = new RedisCatalog(link, scripts, names, options.redaction());
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        ReplyDeadline deadline = ReplyDeadline.after(request.timeout());
        return withWaiter(deadline, request, waits -> {
            RedisLink.Acknowledged answer =
                    run(deadline, scripts.acquire(), request.key(), arguments(0, request, waits));
            ensureAcknowledged(request, answer, answer.answer(), Effect.NONE);
            return outcome(request, answer.answer());
        });
    }

    /** {@inheritDoc} Waiters in the queue always go first. The timeout of the next request does not limit the release. */
    @Override
    public Turnover succeed(LockId last, AcquireRequest next, boolean yielding) {
        waiters.giveUp(last);
        boolean[] released = new boolean[1];
        Acquisition outcome = withWaiter(ReplyDeadline.none(), next, waits -> {
            String[] arguments = arguments(1, next, waits);
            arguments[0] = last.text();
            RedisLink.Acknowledged answer = run(ReplyDeadline.none(), scripts.succeed(), next.key(), arguments);
            List<?> itsOutcome = (List<?>) answer.answer().get(1);
            ensureAcknowledged(next, answer, itsOutcome, Effect.UNKNOWN);
            released[0] = RedisReplies.number(answer.answer(), 0) == 1;
            return outcome(next, itsOutcome);
        });
        return new Turnover(released[0], outcome);
    }

    /** Registers the waiter before the request is sent, and removes it unless it is queued afterwards. */
    private Acquisition withWaiter(
            ReplyDeadline deadline, AcquireRequest request, Function<Boolean, Acquisition> attempt) {
        abandoned.remove(request.lockId());
        boolean waits = !request.maxWait().isZero() && waiters.register(deadline, request);
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

    /** Returns the arguments of an attempt, after {@code from} free places. */
    private String[] arguments(int from, AcquireRequest request, boolean waits) {
        boolean block = request.tokens() > 1;
        String[] arguments = new String[from + (block ? 6 : waits ? 5 : 3)];
        arguments[from] = request.lockId().text();
        arguments[from + 1] = Long.toString(request.ttlMillis());
        arguments[from + 2] = request.holder().text();
        if (waits || block) {
            arguments[from + 3] = waits ? Long.toString(AcquireRequest.millisRoundedUp(request.maxWait())) : "0";
            arguments[from + 4] = waiters.name();
        }
        if (block) {
            arguments[from + 5] = Integer.toString(request.tokens());
        }
        return arguments;
    }

    private RedisLink.Acknowledged run(ReplyDeadline deadline, RedisScript script, LockKey key, String... values) {
        return options.acknowledgement().replicas() == 0
                ? new RedisLink.Acknowledged(link.run(deadline, scripts.batch(), script, names.lock(key), values), 0)
                : run(deadline, script, new String[] {names.lock(key)}, values);
    }

    private RedisLink.Acknowledged run(ReplyDeadline deadline, RedisScript script, String[] keys, String... values) {
        return options.acknowledgement().replicas() == 0
                ? new RedisLink.Acknowledged(link.run(deadline, script, keys, values), 0)
                : link.runAcknowledged(
                        deadline,
                        options.acknowledgement().replicas(),
                        options.acknowledgement().timeout(),
                        script,
                        keys,
                        values);
    }

    /** Releases a grant that too few replicas acknowledged, and throws. */
    private void ensureAcknowledged(
            AcquireRequest request, RedisLink.Acknowledged answer, List<?> outcome, Effect effect) {
        if (RedisReplies.number(outcome, 0) > 0 && isTooFew(answer)) {
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
        long token = RedisReplies.number(answer, 0);
        if (token > 0) {
            return new Granted(RedisReplies.grant(request, answer));
        }
        if (token < 0) {
            throw errors.failure(
                    ErrorCode.INTERNAL,
                    Effect.NONE,
                    "the fencing tokens of lock '" + request.key() + "' are used up: the last was "
                            + RedisReplies.number(answer, 1) + ", " + request.tokens() + " more were asked for",
                    null);
        }
        return new Contended(
                RedisReplies.duration(RedisReplies.number(answer, 1)),
                Optional.of(Holder.of(RedisReplies.text(answer, 2))),
                RedisReplies.number(answer, 3) == 1);
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        return extended(List.of(new Extension(key, lockId, ttl))).get(0).end();
    }

    /** {@inheritDoc} Sends commands of {@value #MAX_EXTENSIONS} leases, one after the other. */
    @Override
    public List<Answer> extendAll(List<Extension> extensions) {
        List<Answer> answers = new ArrayList<>(extensions.size());
        try {
            for (int done = 0; done < extensions.size(); done = answers.size()) {
                answers.addAll(extended(extensions.subList(done, Math.min(extensions.size(), done + MAX_EXTENSIONS))));
            }
            return answers;
        } catch (BackendException e) {
            throw answers.isEmpty()
                    ? e
                    : errors.failure(
                            e.code(), Effect.UNKNOWN, "it failed when " + answers.size() + " leases were extended", e);
        }
    }

    private List<Answer> extended(List<Extension> extensions) {
        String[] keys = new String[extensions.size()];
        String[] values = new String[2 * extensions.size()];
        for (int i = 0; i < keys.length; i++) {
            Extension extension = extensions.get(i);
            keys[i] = names.lock(extension.key());
            values[2 * i] = extension.lockId().text();
            values[2 * i + 1] = Long.toString(AcquireRequest.millisRoundedUp(extension.ttl()));
        }
        RedisLink.Acknowledged answer = keys.length == 1
                ? run(ReplyDeadline.none(), scripts.extend(), extensions.get(0).key(), values)
                : run(ReplyDeadline.none(), scripts.extend(), keys, values);
        List<Optional<Instant>> ends = new ArrayList<>(keys.length);
        for (int i = 0; i < keys.length; i++) {
            long end = RedisReplies.number(answer.answer(), i);
            ends.add(end == 0 ? Optional.empty() : Optional.of(RedisReplies.time(end)));
        }
        if (isTooFew(answer) && ends.stream().anyMatch(Optional::isPresent)) {
            throw tooFew(answer, Effect.UNKNOWN);
        }
        return ends.stream().map(Answer::of).toList();
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        waiters.giveUp(lockId);
        return released(key, lockId);
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        String restMillis = Long.toString(Checks.restMillis(rest));
        waiters.forget(lockId);
        RedisLink.Acknowledged answer =
                run(ReplyDeadline.none(), scripts.releaseAfter(), key, lockId.text(), restMillis);
        boolean kept = RedisReplies.number(answer.answer(), 0) == 1;
        if (kept && isTooFew(answer)) {
            throw tooFew(answer, Effect.UNKNOWN);
        }
        return kept;
    }

    private boolean released(LockKey key, LockId lockId) {
        return RedisReplies.number(
                        link.run(
                                ReplyDeadline.none(),
                                scripts.batch(),
                                scripts.release(),
                                names.lock(key),
                                lockId.text()),
                        0)
                == 1;
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        List<?> answer = link.run(scripts.lookup(), new String[] {names.lock(key)});
        return answer.isEmpty() ? Optional.empty() : Optional.of(RedisReplies.record(key, answer, options.redaction()));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Scans the keys of every master, a thousand in each round trip. In a cluster an index by lock id could not be updated in the
     * same step, and it would cost every acquire another write.
     */
    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return catalog.find(lockId);
    }

    /** {@inheritDoc} In a cluster a request is for one lock, since locks are on several servers. */
    @Override
    public <T> Optional<T> ability(Class<T> type) {
        return Stream.of(this, waiters, catalog)
                .filter(type::isInstance)
                .filter(ability -> type != BulkExtension.class || !link.isCluster())
                .map(type::cast)
                .findFirst();
    }

    @Override
    public void close() {
        abandoned.close();
        waiters.close();
        link.close();
    }

    private boolean isTooFew(RedisLink.Acknowledged answer) {
        return answer.replicas() < options.acknowledgement().replicas();
    }

    private BackendException tooFew(RedisLink.Acknowledged answer, Effect effect) {
        return errors.failure(
                ErrorCode.SERVICE_UNAVAILABLE,
                effect,
                answer.replicas() + " of " + options.acknowledgement().replicas()
                        + " replicas acknowledged it within "
                        + options.acknowledgement().timeout().toMillis() + " ms",
                null);
    }
}
