package io.fenceline.jdbc.syncguard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.internal.syncguard.DisplayHash;
import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.postgresql.TestServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SchemaControl;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * SyncGuard itself on the other side. Needs Node and the files of its modules: {@code -Dfenceline.syncguard=FILE
 * -Dfenceline.syncguard.postgres=FILE}, the second being that of the npm package {@code postgres}.
 */
@Timeout(120)
class RealSyncGuardTest {

    private static final LockKey KEY = LockKey.of("resource:123");

    @TempDir
    private Path directory;

    @Test
    void bothKeepEachOtherOutExtendAndReleaseWhatTheOtherHoldsAndSpendTokensOfOneCounter() throws Exception {
        String module = System.getProperty("fenceline.syncguard", "");
        assumeTrue(
                !module.isEmpty(),
                "NOT SHOWN: that SyncGuard itself, and not only a stand-in, shares our PostgreSQL tables; name its module by"
                        + " -Dfenceline.syncguard");
        String schema = TestServer.newSchema(TestServer.shared());
        Process process = start(module, schema);
        PGSimpleDataSource source = TestServer.dataSource(TestServer.shared());
        source.setCurrentSchema(schema);
        try (LockBackend ours = JdbcLockBackend.on(source, SyncGuardFixture.options());
                BufferedWriter requests = process.outputWriter();
                BufferedReader answers = process.inputReader()) {
            Peer theirs = new Peer(requests, answers);

            String first = theirs.ask("{\"op\":\"acquire\",\"key\":\"resource:123\",\"ttlMs\":60000}");
            assertThat(first).contains("\"ok\":true", "\"fence\":\"000000000000001\"");
            assertThat(ours.ability(SchemaControl.class).orElseThrow().schemaProblems())
                    .as("tables that SyncGuard made")
                    .isEmpty();
            LockId theirId = LockId.parse(member(first, "lockId"));
            assertThat(acquire(ours)).isInstanceOf(Contended.class);
            assertThat(ours.lookup(KEY).orElseThrow().raw().lockId()).isEqualTo(theirId);
            assertThat(ours.extend(KEY, theirId, Duration.ofMinutes(5))).isPresent();
            assertThat(ours.release(KEY, theirId)).isTrue();
            assertThat(theirs.ask("{\"op\":\"release\",\"lockId\":\"" + theirId + "\"}"))
                    .contains("\"ok\":false");

            Grant grant = ((Granted) acquire(ours)).grant();
            assertThat(grant.token().value()).isEqualTo(2);
            assertThat(theirs.ask("{\"op\":\"acquire\",\"key\":\"resource:123\",\"ttlMs\":60000}"))
                    .contains("\"ok\":false", "\"reason\":\"locked\"");
            assertThat(theirs.ask("{\"op\":\"isLocked\",\"key\":\"resource:123\"}"))
                    .contains("true");
            assertThat(theirs.ask("{\"op\":\"lookup\",\"key\":\"resource:123\"}"))
                    .contains(
                            "\"fence\":\"000000000000002\"",
                            DisplayHash.of(KEY.value()),
                            DisplayHash.of(grant.lockId().text()),
                            "\"expiresAtMs\":" + grant.expiresAt().toEpochMilli());
            assertThat(theirs.ask("{\"op\":\"extend\",\"ttlMs\":90000,\"lockId\":\"" + grant.lockId() + "\"}"))
                    .contains("\"ok\":true");
            assertThat(ours.lookup(KEY).orElseThrow().expiresAt()).isNotEqualTo(grant.expiresAt());
            assertThat(theirs.ask("{\"op\":\"release\",\"lockId\":\"" + grant.lockId() + "\"}"))
                    .contains("\"ok\":true");
            assertThat(ours.isLocked(KEY)).isFalse();

            assertThat(theirs.ask("{\"op\":\"acquire\",\"key\":\"resource:123\",\"ttlMs\":60000}"))
                    .contains("\"fence\":\"000000000000003\"");
        } finally {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
    }

    private Process start(String module, String schema) throws IOException {
        Path script = directory.resolve("peer.mjs");
        try (InputStream text = RealSyncGuardTest.class.getResourceAsStream("peer.mjs")) {
            Files.copy(text, script);
        }
        String url = "postgresql://postgres@127.0.0.1:" + TestServer.shared().port() + "/postgres";
        ProcessBuilder node = new ProcessBuilder("node", script.toString(), url, schema);
        node.environment().put("SYNCGUARD", module);
        node.environment().put("POSTGRES_JS", System.getProperty("fenceline.syncguard.postgres", ""));
        return node.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    private static Acquisition acquire(LockBackend ours) {
        return ours.acquire(AcquireRequest.of(KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("us")));
    }

    private static String member(String json, String name) {
        Matcher member = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
        assertThat(member.find()).isTrue();
        return member.group(1);
    }

    private record Peer(BufferedWriter requests, BufferedReader answers) {
        String ask(String json) throws IOException {
            requests.write(json);
            requests.newLine();
            requests.flush();
            String answer = answers.readLine();
            System.out.println("SyncGuard: " + json + " -> " + answer);
            return answer;
        }
    }
}
