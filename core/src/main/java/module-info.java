/**
 * Fenceline's core: distributed locks and leases whose stale holders cannot write.
 *
 * <p>{@link io.fenceline.Locks} is where a user starts; {@link io.fenceline.spi} is what a store implements. The module
 * depends on nothing but the JDK.
 */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The modules of the qualified export are compiled after this one.
module io.fenceline.core {
    requires static org.jspecify;

    exports io.fenceline;
    exports io.fenceline.election;
    exports io.fenceline.guard;
    exports io.fenceline.memory;
    exports io.fenceline.sharding;
    exports io.fenceline.spi;
    exports io.fenceline.telemetry;
    exports io.fenceline.time;
    exports io.fenceline.internal.syncguard to
            io.fenceline.firestore,
            io.fenceline.jdbc,
            io.fenceline.redis;

    uses io.fenceline.spi.BackendProvider;

    provides io.fenceline.spi.BackendProvider with
            io.fenceline.memory.MemoryBackendProvider,
            io.fenceline.sharding.ShardedBackendProvider;
}
