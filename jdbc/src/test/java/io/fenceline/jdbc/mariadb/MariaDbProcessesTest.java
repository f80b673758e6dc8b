package io.fenceline.jdbc.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.jdbc.mariadb.AcquiringClient.Turn;
import io.fenceline.servers.MariaDbServer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several processes that want one lock. {@code -Dfenceline.acquires=500} is the long run. */
@Timeout(900)
class MariaDbProcessesTest {

    private static final int PROCESSES = 4;
    private static final int ACQUIRES = Integer.getInteger("fenceline.acquires", 40);

    @Test
    @Tag("G1")
    @Tag("G2")
    void fourProcessesAcquireOneLockWithoutAnErrorAndNeverTwoAtOnceByTheServersClock() throws Exception {
        MariaDbServer server = TestServer.shared();
        String database = TestServer.borrowDatabase();
        List<Process> clients = new ArrayList<>();
        List<Turn> turns = new ArrayList<>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                clients.add(AcquiringClient.start(server.uri(database), server.jdbcUrl(database), ACQUIRES));
            }
            for (Process client : clients) {
                List<Turn> its = AcquiringClient.turns(client);
                assertThat(its).extracting(Turn::token).isSorted();
                turns.addAll(its);
            }
        } finally {
            clients.forEach(Process::destroyForcibly);
        }
        TestServer.giveBack(database);

        turns.sort(Comparator.comparingLong(Turn::token));
        assertThat(turns).hasSize(PROCESSES * ACQUIRES);
        for (int i = 1; i < turns.size(); i++) {
            assertThat(turns.get(i).token()).isGreaterThan(turns.get(i - 1).token());
            assertThat(turns.get(i).began())
                    .isGreaterThanOrEqualTo(turns.get(i - 1).ended());
        }
    }
}
