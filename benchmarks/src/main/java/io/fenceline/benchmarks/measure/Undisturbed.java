package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.store.ServerProbe;
import io.fenceline.benchmarks.store.ServerUse;
import io.fenceline.benchmarks.worker.CloseTask;
import io.fenceline.benchmarks.worker.OpenTask;
import io.fenceline.benchmarks.worker.UncontendedTask;
import io.fenceline.benchmarks.worker.Window;
import io.fenceline.benchmarks.worker.WorkerJvm;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Acquire and release of locks that nobody else wants. */
final class Undisturbed implements Measure {

    private final int threads;

    Undisturbed(int threads) {
        this.threads = threads;
    }

    @Override
    public String name() {
        return "uncontended-" + threads;
    }

    @Override
    public String title() {
        return "Uncontended, " + threads + (threads == 1 ? " thread" : " threads");
    }

    @Override
    public String explanation() {
        return "Each thread acquires and releases a key of its own in a closed loop. × raw: the median of the ratios to the raw"
                + " driver in the same round, then their quartiles. CPU of the client's JVM and of the server's processes.";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.median("cycles/s", "cycles/s"),
                Column.ratio("× raw", "cycles/s"),
                Column.quartiles("quartiles", "cycles/s"),
                Column.worst("best round", "cycles/s"),
                Column.median("cycle p50 µs", "cycle p50"),
                Column.median("p99 µs", "cycle p99"),
                Column.median("acquire p50 µs", "acquire p50"),
                Column.median("p99 µs", "acquire p99"),
                Column.median("release p50 µs", "release p50"),
                Column.median("p99 µs", "release p99"),
                Column.median("client CPU µs/cycle", "client cpu"),
                Column.median("server CPU µs/cycle", "server cpu"),
                Column.ratio("CPU × raw", "cpu"),
                Column.median("allocated bytes/cycle", "allocated"),
                Column.median("fsyncs/cycle", "fsyncs"));
    }

    @Override
    public boolean suits(Contender contender) {
        return true;
    }

    @Override
    public int rounds(Pace pace) {
        return pace.rounds();
    }

    @Override
    public String headline() {
        return "cycles/s";
    }

    @Override
    public Map<String, Double> warmUp(Contender contender, Bench bench) throws Exception {
        round(contender, bench);
        return Map.of();
    }

    @Override
    public Map<String, Double> round(Contender contender, Bench bench) throws Exception {
        WorkerJvm worker = bench.crew().one();
        ServerProbe probe = bench.stores().probe(contender.store());
        ServerUse before = probe.use();
        worker.call(new OpenTask(contender.name(), bench.stores().address(contender.store())));
        Window window = Window.after(bench.pace().warmUp(), bench.pace().window());
        WorkerJvm.Pending<UncontendedTask.Cycles> pending = worker.send(new UncontendedTask(threads, window));
        window.awaitStart();
        ServerUse started = probe.use();
        window.awaitEnd();
        ServerUse use = probe.use().since(started);
        UncontendedTask.Cycles cycles = pending.result();
        worker.call(new CloseTask());
        probe.awaitQuiet();
        return numbers(window, cycles, use, probe.use().since(before));
    }

    private static Map<String, Double> numbers(
            Window window, UncontendedTask.Cycles cycles, ServerUse use, ServerUse fromOpenToClose) {
        long count = cycles.counted();
        double clientCpu = cycles.use().cpuNanos() / count / 1e3;
        double serverCpu = use.cpuNanos() / count / 1e3;
        Map<String, Double> numbers = new LinkedHashMap<>();
        numbers.put("cycles/s", count / window.seconds());
        numbers.put("cycle p50", cycles.cycle().quantileMicros(0.5));
        numbers.put("cycle p99", cycles.cycle().quantileMicros(0.99));
        numbers.put("acquire p50", cycles.acquire().quantileMicros(0.5));
        numbers.put("acquire p99", cycles.acquire().quantileMicros(0.99));
        numbers.put("release p50", cycles.release().quantileMicros(0.5));
        numbers.put("release p99", cycles.release().quantileMicros(0.99));
        numbers.put("client cpu", clientCpu);
        numbers.put("server cpu", serverCpu);
        numbers.put("cpu", clientCpu + (Double.isNaN(serverCpu) ? 0 : serverCpu));
        numbers.put("allocated", cycles.use().allocatedBytes() / count);
        numbers.put("fsyncs", fromOpenToClose.fsyncs() / cycles.all());
        return numbers;
    }
}
