package io.fenceline.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisServersTest {

    @Test
    void aDurableServerKeepsItsDataThroughAKill() {
        try (RedisServer server = RedisServer.start(RedisSettings.durable())) {
            server.call("SET", "a", "1");

            server.kill();
            assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(() -> server.call("PING"));
            server.startAgain();

            assertThat(server.call("GET", "a")).isEqualTo("1");
        }
    }

    @Test
    void aServerInMemoryForgetsItsDataWhenItStops() {
        try (RedisServer server = RedisServer.start(RedisSettings.inMemory())) {
            server.call("SET", "a", "1");

            server.stop();
            server.startAgain();

            assertThat(server.call("GET", "a")).isEqualTo("");
        }
    }

    @Test
    void aPausedServerGoesOnWhenItIsResumedAndCanBeStopped() {
        try (RedisServer server = RedisServer.start(RedisSettings.inMemory())) {
            server.pause();
            server.resume();
            assertThat(server.call("PING")).isEqualTo("PONG");

            server.pause();
            server.stop();
        }
    }

    @Test
    void settingsThatRedisDoesNotKnowAreToldWithWhatItSays() {
        assertThatIllegalStateException()
                .isThrownBy(() -> RedisServer.start(RedisSettings.inMemory().with("nonsense", "1")))
                .withMessageContaining("nonsense");
    }

    @Test
    void aPasswordIsUsed() {
        try (RedisServer server = RedisServer.start(RedisSettings.inMemory().with("requirepass", "secret"))) {
            assertThat(server.call("PING")).isEqualTo("PONG");
            assertThat(server.uri()).contains(":secret@");
        }
    }

    @Test
    void aServerEndsWithItsJvmHoweverThatEnds() throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        RedisInAnotherJvm.class.getName())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int port = Integer.parseInt(jvm.inputReader().readLine());
        assertThat(isServed(port)).isTrue();

        jvm.destroyForcibly().waitFor();

        RedisCluster.await("the server is gone", () -> !isServed(port));
    }

    private static boolean isServed(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    @Test
    void aClusterServesEverySlotWithThreeMastersAndThreeReplicas() {
        try (RedisCluster cluster = RedisCluster.start(RedisSettings.inMemory())) {
            assertThat(cluster.nodes()).hasSize(6);
            for (String key : List.of("a", "b", "c", "d")) {
                assertThat(cluster.masterOf(key).call("SET", key, "1")).isEqualTo("OK");
            }
        }
    }

    @Test
    void aSentinelPutsTheReplicaInThePlaceOfADeadMaster() {
        try (RedisSentinel sentinel = RedisSentinel.start(RedisSettings.inMemory())) {
            RedisServer master = sentinel.master();
            RedisServer replica = sentinel.replica();
            master.kill();

            RedisCluster.await("fail-over", () -> sentinel.master() == replica);
        }
    }
}
