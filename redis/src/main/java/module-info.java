/** Fenceline on Redis. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Lettuce has no module descriptor.
module io.fenceline.redis {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires transitive lettuce.core;

    exports io.fenceline.redis;

    provides io.fenceline.spi.BackendProvider with
            io.fenceline.redis.RedisBackendProvider;
}
