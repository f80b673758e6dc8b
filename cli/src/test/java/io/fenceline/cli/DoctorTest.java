package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.output.ExitCode;
import io.fenceline.servers.PostgresServer;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code doctor} says of servers that are set well and of servers that are not. */
class DoctorTest {

    @TempDir
    private Path folder;

    @Test
    void findsNothingWrongWithADurableRedis() {
        try (RedisServer server = RedisServer.start(RedisSettings.durable())) {
            CommandRun doctor = examine(server.uri());

            assertThat(doctor.out()).doesNotContain("warning  ", "problem  ");
            assertThat(doctor.exitCode()).isZero();
        }
    }

    @Test
    void callsARedisWhoseKeysTheUserMayNotUseAProblem() {
        try (RedisServer server = RedisServer.start(RedisSettings.durable())) {
            server.call("ACL", "SETUSER", "app", "on", ">secret", "~other:*", "&*", "+@all");
            CommandRun doctor = examine(server.uri().replace("redis://", "redis://app:secret@"));

            assertThat(doctor.out()).contains("problem  writes", "the user lacks a permission");
            assertThat(doctor.exitCode()).isEqualTo(ExitCode.DOCTOR_PROBLEM);
        }
    }

    @Test
    void warnsOfARedisThatEvictsAndForgetsAndSaysHowToMendIt() {
        RedisSettings evicting =
                RedisSettings.inMemory().with("maxmemory", "100mb").with("maxmemory-policy", "allkeys-lru");
        try (RedisServer server = RedisServer.start(evicting)) {
            CommandRun doctor = examine(server.uri());

            assertThat(doctor.out())
                    .contains(
                            "warning  maxmemory-policy", "noeviction", "warning  persistence", "set appendonly to yes");
            assertThat(doctor.exitCode()).isEqualTo(ExitCode.DOCTOR_WARNING);
        }
    }

    @Test
    void findsNothingWrongWithAPostgresThatWaitsForItsDisk() {
        try (PostgresServer server = PostgresServer.start(Map.of())) {
            CommandRun.of(Map.of("FENCELINE_BACKEND", server.uri()), "", "schema", "install");
            CommandRun doctor = examine(server.uri());

            assertThat(doctor.out()).doesNotContain("warning  ", "problem  ");
            assertThat(doctor.exitCode()).isZero();
        }
    }

    @Test
    void callsAPostgresThatAnswersBeforeItsDiskAProblemAndSaysHowToMendIt() {
        Map<String, String> settings = Map.of("synchronous_commit", "off", "synchronous_standby_names", "missing");
        try (PostgresServer server = PostgresServer.start(settings)) {
            CommandRun doctor = examine(server.uri());

            assertThat(doctor.out())
                    .contains("problem  synchronous_commit", "SET synchronous_commit = on")
                    .contains("problem  standbys", "no standby is connected");
            assertThat(doctor.exitCode()).isEqualTo(ExitCode.DOCTOR_PROBLEM);
        }
    }

    private CommandRun examine(String uri) {
        try (TestStore store = TestStore.in(folder)) {
            return store.run("doctor", "--backend", uri);
        }
    }

    @Test
    void tellsWhyAStoreCannotBeReachedIfItIsAskedTo() {
        String[] doctor = {"doctor", "--backend", "redis://127.0.0.1:1"};

        CommandRun plain = CommandRun.of(Map.of(), "", doctor);
        CommandRun debugging = CommandRun.of(Map.of("FENCELINE_DEBUG", "1"), "", doctor);

        assertThat(plain.err()).isEmpty();
        assertThat(debugging.exitCode()).isEqualTo(plain.exitCode()).isNotZero();
        assertThat(debugging.out()).isEqualTo(plain.out());
        assertThat(debugging.err()).contains("Caused by: ");
    }
}
