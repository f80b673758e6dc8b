package io.fenceline.spring.boot.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.Locks;
import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisSentinel;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Locks in the Redis of an application, which is addressed by Spring's own properties. */
class RedisApplicationTest {

    @AutoConfigured
    static class Application {}

    @Test
    void oneServerWithAPassword() throws Exception {
        try (RedisServer redis = RedisServer.start(RedisSettings.inMemory().with("requirepass", "secret"))) {
            assertLocksIn(redis, "--spring.data.redis.port=" + redis.port(), "--spring.data.redis.password=secret");
        }
    }

    @Test
    void theMasterThatSentinelsName() throws Exception {
        try (RedisSentinel redis = RedisSentinel.start(RedisSettings.inMemory())) {
            assertLocksIn(
                    redis.master(),
                    "--spring.data.redis.sentinel.master=" + "fenceline-test",
                    "--spring.data.redis.sentinel.nodes=" + addresses(redis.sentinels().stream()));
        }
    }

    @Test
    void aCluster() throws Exception {
        try (RedisCluster redis = RedisCluster.start(RedisSettings.inMemory())) {
            assertLocksIn(
                    redis.masterOf("key"), "--spring.data.redis.cluster.nodes=" + addresses(redis.nodes().stream()));
        }
    }

    private static String addresses(Stream<RedisServer> servers) {
        return servers.map(server -> "127.0.0.1:" + server.port()).collect(Collectors.joining(","));
    }

    private static void assertLocksIn(RedisServer redis, String... address) throws Exception {
        String[] properties = Stream.concat(
                        Arrays.stream(address), Stream.of("--fenceline.store=redis", "--fenceline.guard.enabled=false"))
                .toArray(String[]::new);
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .properties("spring.main.banner-mode=off", "spring.jmx.enabled=false")
                        .run(properties);
                Lease lease = application.getBean(Locks.class).acquire("key")) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(redis.call("KEYS", "fenceline*").toString()).contains("key");
        }
    }
}
