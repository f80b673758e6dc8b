package io.fenceline.benchmarks.measure;

import io.fenceline.Backends;
import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.contender.Contenders;
import io.fenceline.benchmarks.store.ManyKeys;
import io.fenceline.benchmarks.store.Store;
import io.fenceline.benchmarks.store.StoreAddress;
import io.fenceline.spi.LockBackend;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures one against many of what may grow: keys, waiting processes, listening sessions, leases. */
final class Scale implements Measure {

    private static final int KEYS = 1_000_000;
    private static final int WAITERS = 1_000;
    private static final int LISTENERS = 150;
    private static final int BATCH = 100;

    @Override
    public String name() {
        return "scale";
    }

    @Override
    public String title() {
        return "One and many: keys, waiters, listeners, renewals";
    }

    @Override
    public String explanation() {
        return "Our backends alone, one thread. Keys: the server's CPU for an acquire and a release of one key, and of a random one of"
                + " a million that the store has. Waiters: the time of a release that hands the key over, with so many processes in line."
                + " Listeners: the time of a release that notifies a waiter, with so many sessions of the database that listen to"
                + " anything. Renewals: the server's CPU and the time of a renewal, sent alone and as one of " + BATCH
                + " in a request.";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.median("CPU µs/cycle, 1 key", "keys 1"),
                Column.median("10⁶ keys", "keys many"),
                Column.median("×", "keys ×"),
                Column.median("release µs, 1 waiter", "waiters 1"),
                Column.median("1 000 waiters", "waiters many"),
                Column.median("×", "waiters ×"),
                Column.median("release µs, 1 listener", "listeners 1"),
                Column.median("150 listeners", "listeners many"),
                Column.median("×", "listeners ×"),
                Column.median("CPU µs/renewal, alone", "renewal cpu alone"),
                Column.median("in batches", "renewal cpu batch"),
                Column.median("×", "renewal cpu ×"),
                Column.median("µs/renewal, alone", "renewal alone"),
                Column.median("in batches", "renewal batch"));
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.name().startsWith(Contenders.OURS) && contender.store().remote();
    }

    @Override
    public int rounds(Pace pace) {
        return Math.min(3, pace.rounds());
    }

    @Override
    public String headline() {
        return "keys ×";
    }

    @Override
    public Map<String, Double> warmUp(Contender contender, Bench bench) throws Exception {
        try (LockBackend backend = open(contender, bench)) {
            new ScaleCases(backend, bench).acquireOnce(ManyKeys.TEMPLATE);
            ManyKeys.fill(contender.store(), bench.stores().address(contender.store()), KEYS);
        }
        return Map.of();
    }

    @Override
    public Map<String, Double> round(Contender contender, Bench bench) throws Exception {
        Store store = contender.store();
        StoreAddress address = bench.stores().address(store);
        Map<String, Double> numbers = new LinkedHashMap<>();
        try (LockBackend backend = open(contender, bench)) {
            ScaleCases cases = new ScaleCases(backend, bench);
            put(numbers, "keys", cases.cycleCpu(store, 1), cases.cycleCpu(store, KEYS));
            if (store == Store.REDIS) {
                put(numbers, "waiters", cases.release(1), cases.release(WAITERS));
            }
            if (store == Store.POSTGRESQL) {
                try (LockBackend other = open(contender, bench)) {
                    put(
                            numbers,
                            "listeners",
                            cases.notifyingRelease(other, address, 1),
                            cases.notifyingRelease(other, address, LISTENERS));
                }
            }
            ScaleCases.Renewals alone = cases.renewals(store, 1);
            ScaleCases.Renewals batch = cases.renewals(store, BATCH);
            numbers.put("renewal cpu alone", alone.cpuMicros());
            numbers.put("renewal cpu batch", batch.cpuMicros());
            numbers.put("renewal cpu ×", batch.cpuMicros() / alone.cpuMicros());
            numbers.put("renewal alone", alone.micros());
            numbers.put("renewal batch", batch.micros());
        }
        return numbers;
    }

    private static void put(Map<String, Double> numbers, String name, double one, double many) {
        numbers.put(name + " 1", one);
        numbers.put(name + " many", many);
        numbers.put(name + " ×", many / one);
    }

    private static LockBackend open(Contender contender, Bench bench) {
        return Backends.open(bench.stores().address(contender.store()).uri());
    }
}
