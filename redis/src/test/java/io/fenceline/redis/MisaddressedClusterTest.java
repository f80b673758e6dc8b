package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cluster and a single server, and addresses that are wrong in one part. Lettuce knows the cause from each node it has asked. */
@Tag("G10")
class MisaddressedClusterTest {

    private static RedisCluster cluster;
    private static RedisServer single;
    private static String nodes;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(
                RedisSettings.inMemory().with("requirepass", "secret").with("masterauth", "secret"));
        single = RedisServer.start(RedisSettings.inMemory());
        nodes = cluster.nodes().stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
    }

    @AfterAll
    static void stop() {
        cluster.close();
        single.close();
    }

    private static BackendException failure(String uri) {
        BackendException failure = catchThrowableOfType(
                BackendException.class,
                () -> RedisLockBackend.open(uri, RedisOptions.defaults()).close());
        assertThat(failure).as(uri).isNotNull();
        return failure;
    }

    @ParameterizedTest
    @CsvSource({
        "redis-cluster://NODES,          AUTH_FAILED,   it requires a password",
        "redis-cluster://:wrong@NODES,   AUTH_FAILED,   does not accept the user or the password",
        "rediss-cluster://:secret@NODES, MISCONFIGURED, does not speak TLS",
        "redis-cluster://SINGLE,         MISCONFIGURED, not in cluster mode",
        "redis-sentinel://SINGLE#master, MISCONFIGURED, not a Sentinel"
    })
    void isNoOutage(String uri, ErrorCode code, String cause) {
        BackendException failure = failure(uri.replace("NODES", nodes).replace("SINGLE", "127.0.0.1:" + single.port()));
        assertThat(failure).hasMessageContaining(cause);
        assertThat(failure.code()).isEqualTo(code);
    }

    /** It has a third of the keys, and would list a third of the locks. */
    @Test
    void refusesOneNodeOfACluster() {
        assertThat(failure("redis://:secret@" + nodes.split(",")[0]))
                .hasMessageContaining("begins with redis-cluster:")
                .returns(ErrorCode.MISCONFIGURED, BackendException::code);
    }

    @Test
    void namesTheCauseOfAnUnknownHost() {
        assertThat(failure("redis-cluster://no-such-host.invalid:1"))
                .hasMessageContaining("host is unknown")
                .returns(ErrorCode.SERVICE_UNAVAILABLE, BackendException::code);
    }
}
