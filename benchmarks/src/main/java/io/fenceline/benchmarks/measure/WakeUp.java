package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.store.Disk;
import io.fenceline.benchmarks.store.Store;
import io.fenceline.benchmarks.worker.RoundTripTask;
import io.fenceline.benchmarks.worker.RoundTripTask.Trips;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures the time from a release to the grant of a waiter in another process, relative to one round trip. */
final class WakeUp implements Measure {

    /** One thread of each JVM; the releaser lets the other go first. */
    private static final Shape SHAPE = new Shape(2, 1, Duration.ofMillis(10), Duration.ofMillis(5));

    @Override
    public String name() {
        return "wake-up";
    }

    @Override
    public String title() {
        return "Wake-up of one waiter in another process";
    }

    @Override
    public String explanation() {
        return "Two JVMs with a thread each, which holds a key for 10 ms and pauses for 5 ms after its release, so that the other"
                + " one waits and gets it. Wake-up: to the waiter's return from acquire. A round trip is one question of ours"
                + " whether a key is locked, by one thread: asked one right after the other (busy), and with 10 ms in between"
                + " (idle), which is how idle the machine is when a waiter is woken. Less a flush: without the time of one"
                + " flushed append to the disk of PostgreSQL, measured in the same round.";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.of("waits by", (contender, own, floor) -> contender.waitsBy()),
                Column.median("from release's call p50 µs", "cross turnover p50"),
                Column.median("p99 µs", "cross turnover p99"),
                Column.median("from release's return p50 µs", "cross hand-off p50"),
                Column.median("p99 µs", "cross hand-off p99"),
                Column.median("round trip, busy, p50 µs", "busy trip"),
                Column.median("idle p50 µs", "idle trip"),
                Column.median("call to grant in busy trips", "call/busy"),
                Column.median("in idle trips", "call/idle"),
                Column.median("less a flush", "call less flush/idle"),
                Column.median("return to grant in busy trips", "return/busy"),
                Column.median("in idle trips", "return/idle"));
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.store().shared();
    }

    @Override
    public int rounds(Pace pace) {
        return Math.min(3, pace.rounds());
    }

    @Override
    public String headline() {
        return "cross turnover p50";
    }

    @Override
    public Map<String, Double> warmUp(Contender contender, Bench bench) throws Exception {
        round(contender, bench);
        return Map.of();
    }

    @Override
    public Map<String, Double> round(Contender contender, Bench bench) throws Exception {
        Trips trip = trips(contender.store(), bench);
        Map<String, Double> contest = new Contest(contender, SHAPE, bench).timed();
        double busy = trip.busy().quantileMicros(0.5);
        double idle = trip.idle().quantileMicros(0.5);
        Map<String, Double> numbers = new LinkedHashMap<>();
        for (String name :
                List.of("cross turnover p50", "cross turnover p99", "cross hand-off p50", "cross hand-off p99")) {
            numbers.put(name, contest.get(name));
        }
        numbers.put("busy trip", busy);
        numbers.put("idle trip", idle);
        numbers.put("call/busy", contest.get("cross turnover p50") / busy);
        numbers.put("call/idle", contest.get("cross turnover p50") / idle);
        double flush = contender.store() == Store.POSTGRESQL ? Disk.flushMicros() : 0;
        numbers.put("call less flush/idle", (contest.get("cross turnover p50") - flush) / idle);
        numbers.put("return/busy", contest.get("cross hand-off p50") / busy);
        numbers.put("return/idle", contest.get("cross hand-off p50") / idle);
        return numbers;
    }

    /** Over a backend of ours, whoever is measured: the store is the same. */
    private static Trips trips(Store store, Bench bench) {
        return bench.crew()
                .one()
                .call(new RoundTripTask(
                        bench.stores().address(store), bench.pace().cycles()));
    }
}
