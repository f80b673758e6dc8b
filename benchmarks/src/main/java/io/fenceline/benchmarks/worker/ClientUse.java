package io.fenceline.benchmarks.worker;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.Serializable;
import java.lang.management.ManagementFactory;

/**
 * This JVM's resource use up to a moment, or between two.
 *
 * @param cpuNanos processor time of all its threads
 * @param allocatedBytes by its threads that live
 */
public record ClientUse(double cpuNanos, double allocatedBytes) implements Serializable {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Returns what was used so far. */
    static ClientUse now() {
        long allocated = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            allocated += Math.max(0, bytes); // -1: the thread has just ended
        }
        return new ClientUse(SYSTEM.getProcessCpuTime(), allocated);
    }

    /** Returns what was used since an earlier moment. */
    ClientUse since(ClientUse earlier) {
        return new ClientUse(cpuNanos - earlier.cpuNanos, allocatedBytes - earlier.allocatedBytes);
    }

    /** Returns both together. */
    public ClientUse and(ClientUse other) {
        return new ClientUse(cpuNanos + other.cpuNanos, allocatedBytes + other.allocatedBytes);
    }
}
