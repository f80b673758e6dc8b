package io.fenceline.benchmarks.measure;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.benchmarks.store.ManyKeys;
import io.fenceline.benchmarks.store.ServerProbe;
import io.fenceline.benchmarks.store.ServerUse;
import io.fenceline.benchmarks.store.Store;
import io.fenceline.benchmarks.store.StoreAddress;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.BulkExtension.Extension;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.spi.ReleaseSignals.Subscription;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The cases of {@link Scale}, on one backend and one thread. */
final class ScaleCases {

    private static final Duration TTL = Duration.ofMinutes(5);
    private static final Holder HOLDER = Holder.of("benchmark");
    private static final int RELEASES = 100;
    private static final int LEASES = 500;

    private final LockBackend backend;
    private final Bench bench;
    private final ReleaseSignals signals;

    ScaleCases(LockBackend backend, Bench bench) {
        this.backend = backend;
        this.bench = bench;
        this.signals = backend.ability(ReleaseSignals.class).orElseThrow();
    }

    /** The cost of a renewal. */
    record Renewals(double cpuMicros, double micros) {}

    void acquireOnce(String key) {
        backend.release(LockKey.of(key), take(LockKey.of(key)));
    }

    /** Returns the server's CPU in microseconds for an acquire and a release of a random one of many keys. */
    double cycleCpu(Store store, int keys) {
        ServerProbe probe = bench.stores().probe(store);
        cycles(keys, bench.pace().warmUp());
        ServerUse before = probe.use();
        long cycles = cycles(keys, bench.pace().window());
        return probe.use().since(before).cpuNanos() / cycles / 1e3;
    }

    private long cycles(int keys, Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        long cycles = 0;
        while (System.nanoTime() < end) {
            acquireOnce(ManyKeys.key(ThreadLocalRandom.current().nextInt(keys)));
            cycles++;
        }
        return cycles;
    }

    /** Returns the median microseconds of a release that hands the key over, with so many in line. */
    double release(int waiters) throws InterruptedException {
        LockKey key = LockKey.of("waited for by " + waiters + " " + System.nanoTime());
        BlockingQueue<Grant> handedOver = new LinkedBlockingQueue<>();
        Map<LockId, Subscription> line = new HashMap<>();
        LockId holder = take(key);
        for (int i = 0; i < waiters; i++) {
            enter(key, line, handedOver);
        }
        double[] micros = new double[RELEASES];
        for (int i = 0; i < RELEASES; i++) {
            LockId last = holder;
            micros[i] = microsOf(() -> backend.release(key, last));
            Grant grant = handedOver.poll(10, TimeUnit.SECONDS);
            if (grant == null) {
                throw new IllegalStateException("no waiter was handed the key");
            }
            holder = grant.lockId();
            line.remove(holder).close();
            enter(key, line, handedOver);
        }
        line.forEach((id, subscription) -> {
            subscription.close();
            backend.release(key, id);
        });
        backend.release(key, holder);
        return median(micros);
    }

    private void enter(LockKey key, Map<LockId, Subscription> line, BlockingQueue<Grant> handedOver) {
        LockId id = LockId.random();
        if (backend.acquire(new AcquireRequest(key, id, TTL, HOLDER, 1, TTL)) instanceof Granted) {
            throw new IllegalStateException("the key is free");
        }
        line.put(id, signals.subscribe(key, id, signal -> {
            if (signal instanceof Signal.HandedOver grant) {
                handedOver.add(grant.grant());
            }
        }));
    }

    /** Returns the median microseconds of a release that notifies a waiter of another process, with so many listening sessions. */
    double notifyingRelease(LockBackend other, StoreAddress address, int listeners) throws Exception {
        List<Connection> sessions = new ArrayList<>();
        try {
            for (int i = 1; i < listeners; i++) { // the other process has one
                sessions.add(listening(address));
            }
            LockKey key = LockKey.of("listened to by " + listeners + " " + System.nanoTime());
            ReleaseSignals itsSignals = other.ability(ReleaseSignals.class).orElseThrow();
            double[] micros = new double[RELEASES];
            for (int i = 0; i < RELEASES; i++) {
                LockId holder = take(key);
                LockId waiter = LockId.random();
                BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
                other.acquire(new AcquireRequest(key, waiter, TTL, HOLDER, 1, TTL));
                try (Subscription subscription = itsSignals.subscribe(key, waiter, heard::add)) {
                    TimeUnit.MILLISECONDS.sleep(2); // a signal at the beginning says nothing
                    heard.clear();
                    micros[i] = microsOf(() -> backend.release(key, holder));
                    if (heard.poll(10, TimeUnit.SECONDS) == null) {
                        throw new IllegalStateException("the waiter was not notified");
                    }
                }
                other.release(key, waiter);
            }
            return median(micros);
        } finally {
            for (Connection session : sessions) {
                session.close();
            }
        }
    }

    private static Connection listening(StoreAddress address) throws SQLException {
        Connection connection = DriverManager.getConnection(address.jdbcUrl());
        try (Statement statement = connection.createStatement()) {
            statement.execute("LISTEN something_else");
        }
        return connection;
    }

    /** Renews leases, so many in a request, for a window. */
    Renewals renewals(Store store, int batch) {
        List<Extension> leases = new ArrayList<>();
        for (int i = 0; i < LEASES; i++) {
            LockKey key = LockKey.of("renewed " + i);
            leases.add(new Extension(key, take(key), TTL));
        }
        Optional<BulkExtension> bulk = backend.ability(BulkExtension.class);
        if (batch > 1 && bulk.isEmpty()) {
            return new Renewals(Double.NaN, Double.NaN);
        }
        ServerProbe probe = bench.stores().probe(store);
        ServerUse before = probe.use();
        long began = System.nanoTime();
        long end = began + bench.pace().window().toNanos();
        long renewals = 0;
        for (int i = 0; System.nanoTime() < end; i = (i + batch) % LEASES) {
            if (batch == 1) {
                Extension lease = leases.get(i);
                backend.extend(lease.key(), lease.lockId(), lease.ttl());
            } else {
                bulk.orElseThrow().extendAll(leases.subList(i, i + batch));
            }
            renewals += batch;
        }
        double micros = (System.nanoTime() - began) / 1e3 / renewals;
        double cpu = probe.use().since(before).cpuNanos() / renewals / 1e3;
        leases.forEach(lease -> backend.release(lease.key(), lease.lockId()));
        return new Renewals(cpu, micros);
    }

    private LockId take(LockKey key) {
        LockId id = LockId.random();
        if (!(backend.acquire(AcquireRequest.of(key, id, TTL, HOLDER)) instanceof Granted)) {
            throw new IllegalStateException("lock '" + key + "' is taken");
        }
        return id;
    }

    private static double microsOf(Runnable call) {
        long began = System.nanoTime();
        call.run();
        return (System.nanoTime() - began) / 1e3;
    }

    private static double median(double[] numbers) {
        return Arrays.stream(numbers).sorted().toArray()[numbers.length / 2];
    }
}
