package io.fenceline.spring.boot.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.servers.PostgresServer;
import io.fenceline.testkit.JvmCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Three nodes on which a job is due each second, of which the leader runs it, also after leaders are killed. */
@Timeout(600)
class LeaderTicksTest {

    /** The number of ticks, a third of which comes before each kill. */
    private static final int TICKS = Integer.getInteger("fenceline.ticks", 6);

    private final List<Process> nodes = new ArrayList<>();
    private PostgresServer server;
    private JdbcTemplate sql;

    @TempDir
    Path folder;

    @BeforeEach
    void start() throws IOException {
        server = PostgresServer.start(Map.of("fsync", "off"));
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server.jdbcUrl("postgres"));
        sql = new JdbcTemplate(source);
        sql.execute("CREATE TABLE ticks (second timestamptz, term bigint)");
        for (int i = 0; i < 3; i++) {
            nodes.add(new ProcessBuilder(JvmCommand.of(
                            TickingNode.class,
                            "--spring.main.web-application-type=none",
                            "--spring.main.banner-mode=off",
                            "--spring.datasource.url=" + server.jdbcUrl("postgres"),
                            "--fenceline.jdbc.initialize-schema=always",
                            "--fenceline.elections.ticks.ttl=2s"))
                    .redirectErrorStream(true)
                    .redirectOutput(output(i).toFile())
                    .start());
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(Process::destroyForcibly);
        server.close();
    }

    @Test
    void eachTickRunsOnceAndEveryElectionEnds() throws Exception {
        for (int kills = 0; kills < 2; kills++) {
            awaitTicks((kills + 1) * TICKS / 3);
            int leader = leader();
            nodes.get(leader).destroyForcibly().waitFor();
        }
        awaitTicks(TICKS);
        for (Process node : nodes) {
            node.toHandle().destroy(); // SIGTERM; destroy() of the process would close its output
        }
        for (Process node : nodes) {
            assertThat(node.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }

        assertThat(sql.queryForList("SELECT second FROM ticks GROUP BY second, term HAVING count(*) > 1"))
                .isEmpty();
        assertThat(sql.queryForObject("SELECT count(DISTINCT term) FROM ticks", Integer.class))
                .isGreaterThanOrEqualTo(3);
        assertThat(sql.queryForList("SELECT 1 FROM ticks a JOIN ticks b ON a.second < b.second AND a.term > b.term"))
                .as("ticks of an older leader after those of a newer one")
                .isEmpty();
        int last = lastAlive();
        assertThat(said(last, "elected")).isNotEmpty().isEqualTo(said(last, "revoked"));
    }

    private void awaitTicks(int count) {
        await().atMost(Duration.ofMinutes(3))
                .until(() -> sql.queryForObject("SELECT count(*) FROM ticks", Integer.class) >= count);
    }

    /** The node that wrote the last tick. */
    private int leader() {
        String term = sql.queryForObject("SELECT lpad(max(term)::text, 15, '0') FROM ticks", String.class);
        for (int i = 0; i < nodes.size(); i++) {
            if (said(i, "elected").contains(term)) {
                return i;
            }
        }
        throw new AssertionError("no node says that it was elected for term " + term);
    }

    /** The node that was not killed: it has ended by SIGTERM. */
    private int lastAlive() {
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).exitValue() != 128 + 9) {
                return i;
            }
        }
        throw new AssertionError("all nodes were killed");
    }

    private List<String> said(int node, String event) {
        try {
            return Files.readAllLines(output(node)).stream()
                    .filter(line -> line.startsWith(event + " "))
                    .map(line -> line.substring(event.length() + 1))
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private Path output(int node) {
        return folder.resolve("node-" + node);
    }
}
