package io.fenceline.sharding;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import io.fenceline.spi.SelfDiagnosis.Severity;
import io.fenceline.spi.Succession;
import io.fenceline.spi.WaiterNotices;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Locks spread over several stores: each key belongs to one of them, chosen by rendezvous hashing of key and store name. All processes must
 * be given the same generation and the same stores under the same names; the addresses may differ.
 *
 * <p>To add or remove a store, give the new set of stores a greater generation, and call {@link SchemaControl#installSchema} once ({@code
 * fenceline schema install}). Tokens of keys that move keep growing: those of counters begin with the generation, and a clock floor (Redis)
 * follows the time, so the servers' clocks must differ by less than the change takes. While processes of both generations run, a moved key
 * can have one holder in each. Tokens of counters are smaller in the older generation for every key, so guards refuse its processes once a
 * newer one has written. Where that is not enough, stop all processes of the old
 * generation and wait for the longest TTL.
 *
 * <p>Every store records the set of stores and its own name in it, before the first change of fresh stores and on installation. Opening
 * refuses another set with the same generation, an older generation, and swapped addresses. Changes by a greater generation that is not
 * installed fail with {@link io.fenceline.ErrorCode#MISCONFIGURED}, since a mistyped number would shut out all other processes. Keys
 * that begin with {@code fenceline-shards/} are reserved for the records and refused.
 *
 * <p>A store that is down affects its own keys only, once all stores are open and recorded. Offers the abilities that all stores have, except {@link
 * io.fenceline.spi.BulkExtension}. Thread-safe.
 */
public final class ShardedLockBackend implements LockBackend {

    private final List<Shard> shards;
    private final Generation generation;
    private final Membership membership;

    private ShardedLockBackend(List<Shard> shards, Generation generation, Membership membership) {
        this.shards = shards;
        this.generation = generation;
        this.membership = membership;
    }

    /**
     * Combines stores. Asks each of them for its records, and writes nothing.
     *
     * @param generation of this set of stores, from 1 to 89; greater for each other set. 0 is for tests of fresh stores: beside one that
     *     was used alone, tokens of counters would fall
     * @param stores by name, at least one; closed with this backend. A name has letters, digits, {@code .}, {@code _} and {@code -}
     * @return locks on all stores
     * @throws IllegalArgumentException if the generation or a name is not allowed
     * @throws io.fenceline.BackendException if a store fails, or is recorded with other stores or under another name in this
     *     generation, or in a later one. The first change throws it if one store counts tokens and another has a clock floor
     */
    public static ShardedLockBackend over(int generation, Map<String, LockBackend> stores) {
        List<Shard> shards = new TreeMap<>(stores)
                .entrySet().stream()
                        .map(store -> new Shard(requireName(store.getKey()), store.getValue()))
                        .toList();
        if (shards.isEmpty()) {
            throw new IllegalArgumentException("there is no store");
        }
        Generation tokens = new Generation(generation);
        Membership membership = new Membership(generation, shards);
        membership.check();
        return new ShardedLockBackend(shards, tokens, membership);
    }

    private static String requireName(String name) {
        if (!name.matches("[A-Za-z0-9._-]{1,50}")) {
            throw new IllegalArgumentException(
                    "store name '" + name + "' is not 1 to 50 letters, digits, '.', '_' or '-'");
        }
        return name;
    }

    /**
     * Returns the name of the store that has a key.
     *
     * @param key a lock
     * @return one of the names given
     */
    public String storeOf(LockKey key) {
        return shard(key).name();
    }

    private Shard shard(LockKey key) {
        return Shard.of(key, shards);
    }

    private LockBackend backend(LockKey key) {
        return shard(key).backend();
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        LockBackend backend = backend(request.key());
        Duration left = membership.ensureRecorded(request.timeout());
        return generation.shown(backend.acquire(limited(request, left)));
    }

    private static AcquireRequest limited(AcquireRequest request, Duration timeout) {
        return timeout.equals(request.timeout())
                ? request
                : new AcquireRequest(
                        request.key(),
                        request.lockId(),
                        request.ttl(),
                        request.holder(),
                        request.tokens(),
                        request.maxWait(),
                        timeout);
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        return backend(key).extend(key, lockId, ttl);
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return backend(key).release(key, lockId);
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        return backend(key).releaseAfter(key, lockId, rest);
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return backend(key).lookup(key).map(generation::shown);
    }

    /** {@inheritDoc} Asks one store after the other. */
    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return shards.stream()
                .map(shard -> shard.backend().lookup(lockId))
                .flatMap(Optional::stream)
                .findFirst()
                .map(generation::shown);
    }

    @Override
    public boolean isLocked(LockKey key) {
        return backend(key).isLocked(key);
    }

    /** {@inheritDoc} Asks every store, and fails if one fails or does not belong to this set. */
    @Override
    public void ping() {
        if (membership.isRecorded()) {
            shards.forEach(shard -> shard.backend().ping());
        } else {
            membership.requireNoProblem();
        }
    }

    @Override
    public <T> Optional<T> ability(Class<T> type) {
        if (type == SchemaControl.class) {
            return Optional.of(type.cast(new ShardedSchema(shards, membership)));
        }
        boolean everywhere =
                shards.stream().allMatch(shard -> shard.backend().ability(type).isPresent());
        return everywhere ? Optional.ofNullable(type.cast(combined(type))) : Optional.empty();
    }

    private @Nullable Object combined(Class<?> type) {
        if (type == Succession.class) {
            return (Succession) this::succeed;
        }
        if (type == ReleaseSignals.class) {
            return (ReleaseSignals) (key, waiter, listener) ->
                    of(ReleaseSignals.class, key).subscribe(key, waiter, signal -> listener.accept(shown(signal)));
        }
        if (type == WaiterNotices.class) {
            return new ShardedNotices(key -> of(WaiterNotices.class, key));
        }
        if (type == LockCatalog.class) {
            return new ShardedCatalog(shards, generation, membership);
        }
        return type == SelfDiagnosis.class ? (SelfDiagnosis) this::diagnose : null;
    }

    private <T> T of(Class<T> type, LockKey key) {
        return backend(key).ability(type).orElseThrow();
    }

    private Succession.Turnover succeed(LockId last, AcquireRequest next, boolean yielding) {
        Succession.Turnover turnover = of(Succession.class, next.key()).succeed(last, next, yielding);
        return new Succession.Turnover(turnover.released(), generation.shown(turnover.outcome()));
    }

    private Signal shown(Signal signal) {
        return signal instanceof Signal.HandedOver handedOver
                ? new Signal.HandedOver(generation.shown(handedOver.grant()))
                : signal;
    }

    private List<Finding> diagnose() {
        List<Finding> findings = new ArrayList<>();
        findings.add(membership
                .check()
                .map(problem -> new Finding("generation", Severity.PROBLEM, problem.what(), problem.remedy()))
                .orElseGet(() -> Finding.ok("generation", "no store belongs to another set of stores")));
        for (Shard shard : shards) {
            for (Finding finding : shard.ability(SelfDiagnosis.class).diagnose()) {
                findings.add(new Finding(
                        shard.name() + ": " + finding.subject(),
                        finding.severity(),
                        finding.detail(),
                        finding.remedy()));
            }
        }
        return findings;
    }

    @Override
    public void close() {
        membership.close();
        shards.forEach(shard -> shard.backend().close());
    }
}
