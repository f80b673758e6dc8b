package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.contender.Contender;
import io.fenceline.benchmarks.store.CommandTraffic;
import io.fenceline.benchmarks.store.CountingProxy;
import io.fenceline.benchmarks.store.ServerProbe;
import io.fenceline.benchmarks.store.ServerUse;
import io.fenceline.benchmarks.store.StoreAddress;
import io.fenceline.benchmarks.worker.CloseTask;
import io.fenceline.benchmarks.worker.ContendedTask;
import io.fenceline.benchmarks.worker.OpenTask;
import io.fenceline.benchmarks.worker.Window;
import io.fenceline.benchmarks.worker.WorkerJvm;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** One contender's threads after one key, for the length of a window. */
final class Contest {

    /** A key is used once, so that a round that failed leaves nothing to the next. */
    private static final AtomicLong KEYS = new AtomicLong();

    private final Contender contender;
    private final Shape shape;
    private final Bench bench;

    Contest(Contender contender, Shape shape, Bench bench) {
        this.contender = contender;
        this.shape = shape;
        this.bench = bench;
    }

    /** Returns how the lock went from hold to hold. */
    Map<String, Double> timed() throws InterruptedException {
        return run(bench.stores().address(contender.store()), () -> CommandTraffic.NONE);
    }

    /** Returns the same with the commands for each grant, counted by a proxy, which slows everything down. */
    Map<String, Double> counted() throws InterruptedException {
        try (CountingProxy proxy =
                CountingProxy.to(contender.store(), bench.stores().address(contender.store()))) {
            return run(proxy.address(), proxy::traffic);
        }
    }

    private interface Counter {
        CommandTraffic traffic();
    }

    private Map<String, Double> run(StoreAddress address, Counter counter) throws InterruptedException {
        List<WorkerJvm> workers = bench.crew().of(shape.jvms());
        for (WorkerJvm worker : workers) {
            worker.call(new OpenTask(contender.name(), address));
        }
        ServerProbe probe = bench.stores().probe(contender.store());
        Window window = Window.after(bench.pace().warmUp(), bench.pace().window());
        ContendedTask task = new ContendedTask(
                "hot:" + KEYS.incrementAndGet(), shape.threads(), shape.section(), shape.rest(), window);
        List<WorkerJvm.Pending<ContendedTask.Log>> pending =
                workers.stream().map(worker -> worker.send(task)).toList();
        window.awaitStart();
        ServerUse started = probe.use();
        CommandTraffic before = counter.traffic();
        window.awaitEnd();
        CommandTraffic traffic = counter.traffic().since(before);
        ServerUse use = probe.use().since(started);
        List<ContendedTask.Log> logs =
                pending.stream().map(WorkerJvm.Pending::result).toList();
        for (WorkerJvm worker : workers) {
            worker.call(new CloseTask());
        }
        probe.awaitQuiet();
        return numbers(new GrantStatistics(Hold.inOrder(logs), shape, window).numbers(), logs, use, traffic);
    }

    private static Map<String, Double> numbers(
            Map<String, Double> handOver, List<ContendedTask.Log> logs, ServerUse use, CommandTraffic traffic) {
        double grants = handOver.get("grants");
        double clientCpu =
                logs.stream().mapToDouble(log -> log.use().cpuNanos()).sum() / grants / 1e3;
        Map<String, Double> numbers = new HashMap<>(handOver);
        numbers.put("client cpu", clientCpu);
        numbers.put("server cpu", use.cpuNanos() / grants / 1e3);
        numbers.put("commands", traffic.equals(CommandTraffic.NONE) ? Double.NaN : traffic.commands() / grants);
        return numbers;
    }
}
