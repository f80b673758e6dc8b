/** Fenceline on Redis. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Lettuce has no module descriptor.
module io.fenceline.redis {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires transitive lettuce.core;
    // Lettuce cannot require these, and Netty has descriptors: without them it is not among the modules that run.
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.resolver.dns;
    requires io.netty.transport;
    requires jdk.net; // TCP keepalive

    exports io.fenceline.redis;

    provides io.fenceline.spi.BackendProvider with
            io.fenceline.redis.RedisBackendProvider;
}
