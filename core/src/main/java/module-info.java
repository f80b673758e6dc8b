/**
 * Fenceline's core: distributed locks and leases whose stale holders cannot write.
 *
 * <p>{@link io.fenceline.Locks} is where a user starts; {@link io.fenceline.spi} is what a store implements. The module
 * depends on nothing but the JDK.
 */
@org.jspecify.annotations.NullMarked
module io.fenceline.core {
    requires static org.jspecify;

    exports io.fenceline;
    exports io.fenceline.election;
    exports io.fenceline.guard;
    exports io.fenceline.memory;
    exports io.fenceline.spi;
    exports io.fenceline.syncguard;
    exports io.fenceline.telemetry;
    exports io.fenceline.time;

    uses io.fenceline.spi.BackendProvider;
    uses io.fenceline.guard.TriggerDialect;

    provides io.fenceline.spi.BackendProvider with
            io.fenceline.memory.MemoryBackendProvider;
}
