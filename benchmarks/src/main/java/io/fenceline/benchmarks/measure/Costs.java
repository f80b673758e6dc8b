package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.store.CommandTraffic;
import io.fenceline.benchmarks.store.CountingProxy;
import io.fenceline.benchmarks.store.ServerProbe;
import io.fenceline.benchmarks.store.ServerUse;
import io.fenceline.benchmarks.store.StoreAddress;
import io.fenceline.benchmarks.worker.CloseTask;
import io.fenceline.benchmarks.worker.OpenTask;
import io.fenceline.benchmarks.worker.StepTask;
import io.fenceline.benchmarks.worker.WorkerJvm;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Counts what one acquire and one release cost, independently of the machine. */
final class Costs implements Measure {

    private static final String KEY = "cost";
    private static final int WARM_UP = 50;
    private static final Duration OPENED = Duration.ofMillis(300);

    /** Some commands are sent and not waited for. */
    private static final Duration DONE = Duration.ofMillis(10);

    @Override
    public String name() {
        return "costs";
    }

    @Override
    public String title() {
        return "Cost of one uncontended acquire and one release";
    }

    @Override
    public String explanation() {
        return "In steady state, one thread, the key `" + KEY
                + "`. Commands, trips and bytes as a proxy between client and"
                + " server counts them (commands inside scripts left out; means of some steps); write-ahead log and flushes as"
                + " the server counts them, without a proxy, over some hundreds of cycles.";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.median("acquire: commands", "acquire commands"),
                Column.median("trips", "acquire trips"),
                Column.median("bytes up", "acquire bytes up"),
                Column.median("down", "acquire bytes down"),
                Column.median("release: commands", "release commands"),
                Column.median("trips", "release trips"),
                Column.median("bytes up", "release bytes up"),
                Column.median("down", "release bytes down"),
                Column.median("bytes up per cycle", "bytes up"),
                Column.median("WAL bytes per cycle", "wal bytes"),
                Column.median("fsyncs per cycle", "fsyncs"));
    }

    @Override
    public boolean suits(Contender contender) {
        return contender.store().remote();
    }

    @Override
    public int rounds(Pace pace) {
        return 1;
    }

    @Override
    public String headline() {
        return "bytes up";
    }

    @Override
    public Map<String, Double> warmUp(Contender contender, Bench bench) {
        return Map.of();
    }

    @Override
    public Map<String, Double> round(Contender contender, Bench bench) throws Exception {
        Map<String, Double> numbers = new LinkedHashMap<>();
        traffic(contender, bench, numbers);
        log(contender, bench, numbers);
        return numbers;
    }

    private static void traffic(Contender contender, Bench bench, Map<String, Double> numbers)
            throws InterruptedException {
        int steps = bench.pace().steps();
        WorkerJvm worker = bench.crew().one();
        StoreAddress address = bench.stores().address(contender.store());
        CommandTraffic acquires = CommandTraffic.NONE;
        CommandTraffic releases = CommandTraffic.NONE;
        try (CountingProxy proxy = CountingProxy.to(contender.store(), address)) {
            worker.call(new OpenTask(contender.name(), proxy.address()));
            worker.call(new StepTask(KEY, true, true, WARM_UP));
            proxy.trafficAfterQuiet(OPENED); // pools go on opening connections for a while
            for (int i = 0; i < steps; i++) {
                CommandTraffic start = proxy.trafficAfterQuiet(DONE);
                worker.call(new StepTask(KEY, true, false, 1));
                CommandTraffic held = proxy.trafficAfterQuiet(DONE);
                worker.call(new StepTask(KEY, false, true, 1));
                acquires = acquires.and(held.since(start));
                releases = releases.and(proxy.trafficAfterQuiet(DONE).since(held));
            }
            worker.call(new CloseTask());
        }
        put("acquire ", acquires, steps, numbers);
        put("release ", releases, steps, numbers);
        numbers.put("bytes up", acquires.and(releases).bytesUp() / (double) steps);
    }

    private static void put(String prefix, CommandTraffic traffic, double steps, Map<String, Double> numbers) {
        numbers.put(prefix + "commands", traffic.commands() / steps);
        numbers.put(prefix + "trips", traffic.trips() / steps);
        numbers.put(prefix + "bytes up", traffic.bytesUp() / steps);
        numbers.put(prefix + "bytes down", traffic.bytesDown() / steps);
    }

    private static void log(Contender contender, Bench bench, Map<String, Double> numbers) throws InterruptedException {
        int cycles = bench.pace().cycles();
        WorkerJvm worker = bench.crew().one();
        ServerProbe probe = bench.stores().probe(contender.store());
        probe.awaitQuiet();
        ServerUse before = probe.use();
        worker.call(new OpenTask(contender.name(), bench.stores().address(contender.store())));
        worker.call(new StepTask(KEY, true, true, cycles));
        worker.call(new CloseTask());
        probe.awaitQuiet();
        ServerUse use = probe.use().since(before);
        numbers.put("wal bytes", use.walBytes() / cycles);
        numbers.put("fsyncs", use.fsyncs() / cycles);
    }
}
