package io.fenceline.benchmarks.store;

import io.fenceline.testkit.net.FaultProxy;
import io.fenceline.testkit.net.Traffic;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A proxy in front of a store that counts traffic and commands. */
public final class CountingProxy implements AutoCloseable {

    private final StoreAddress server;
    private final AtomicLong commands = new AtomicLong();
    private final FaultProxy proxy;

    private CountingProxy(Store store, StoreAddress server) {
        this.server = server;
        this.proxy = FaultProxy.to(server.host(), server.port(), () -> {
            Commands reader = Commands.of(store);
            return bytes -> commands.addAndGet(reader.in(bytes, bytes.length));
        });
    }

    public static CountingProxy to(Store store, StoreAddress server) {
        return new CountingProxy(store, server);
    }

    /** Returns the address of the store through this proxy. */
    public StoreAddress address() {
        return server.through(proxy.port());
    }

    /** Returns the traffic so far. */
    public CommandTraffic traffic() {
        Traffic total = proxy.roundTrips().total();
        return new CommandTraffic(commands.get(), total.roundTrips(), total.bytesToServer(), total.bytesToClient());
    }

    /** Waits until nothing has passed for a while, and returns the traffic so far. */
    public CommandTraffic trafficAfterQuiet(Duration quiet) throws InterruptedException {
        CommandTraffic last;
        CommandTraffic now = traffic();
        do {
            last = now;
            TimeUnit.NANOSECONDS.sleep(quiet.toNanos());
            now = traffic();
        } while (!now.equals(last));
        return now;
    }

    @Override
    public void close() {
        proxy.close();
    }
}
