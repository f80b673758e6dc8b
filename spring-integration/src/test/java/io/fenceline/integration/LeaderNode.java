package io.fenceline.integration;

import io.fenceline.FencingToken;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;

/** A node with Spring Integration's leader initiator. Counts its attempts to lock: one for each heart beat. */
final class LeaderNode extends AbstractCandidate {

    static final int HEARTBEAT_MILLIS = 100;

    private final FencelineLockRegistry registry;
    private final LeaderLog log;
    private final AtomicInteger beats = new AtomicInteger();
    private final LockRegistryLeaderInitiator initiator;

    LeaderNode(FencelineLockRegistry registry, LeaderLog log) {
        super(null, "billing");
        this.registry = registry;
        this.log = log;
        initiator = new LockRegistryLeaderInitiator(key -> counting(registry.obtain(key)), this);
        initiator.setHeartBeatMillis(HEARTBEAT_MILLIS);
        initiator.setLeaderEventPublisher(
                new org.springframework.integration.leader.event.DefaultLeaderEventPublisher());
    }

    private Lock counting(Lock lock) {
        return (Lock) Proxy.newProxyInstance(
                Lock.class.getClassLoader(), new Class<?>[] {Lock.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("tryLock")) {
                        beats.incrementAndGet();
                    }
                    try {
                        return method.invoke(lock, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    void start() {
        initiator.start();
    }

    void stop() {
        initiator.stop();
    }

    boolean isLeader() {
        return initiator.getContext().isLeader();
    }

    int beats() {
        return beats.get();
    }

    @Override
    public void onGranted(Context context) {
        FencingToken term = registry.lease(context.getRole()).orElseThrow().token();
        log.granted(this, term);
    }

    @Override
    public void onRevoked(Context context) {
        log.revoked(this);
    }
}
