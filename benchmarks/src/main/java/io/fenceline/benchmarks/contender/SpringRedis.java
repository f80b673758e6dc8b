package io.fenceline.benchmarks.contender;

import io.fenceline.benchmarks.store.StoreAddress;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Spring's connections to Redis as they come: Lettuce, one that all threads share. */
final class SpringRedis {

    private SpringRedis() {}

    static LettuceConnectionFactory open(StoreAddress address) {
        LettuceConnectionFactory connections = new LettuceConnectionFactory(address.host(), address.port());
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }
}
