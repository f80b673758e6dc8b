package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockKey;
import io.fenceline.Locks;
import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import io.fenceline.spi.SelfDiagnosis.Severity;
import io.fenceline.spi.TokenMode;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RedisDiagnosisTest {

    private static RedisServer durable;
    private static RedisServer forgetful;

    @BeforeAll
    static void start() {
        durable = RedisServer.start(RedisSettings.durable());
        forgetful = RedisServer.start(
                RedisSettings.inMemory().with("maxmemory", "100mb").with("maxmemory-policy", "allkeys-lru"));
    }

    @AfterAll
    static void stop() {
        durable.close();
        forgetful.close();
    }

    @Test
    void findsNothingWrongWithADurableServer() {
        List<Finding> findings = examine(durable.uri(), TokenMode.COUNTER);

        assertThat(findings).extracting(Finding::severity).containsOnly(Severity.OK);
        assertThat(findings).extracting(Finding::subject).anyMatch(subject -> subject.startsWith("clock of"));
    }

    @Test
    void warnsOfEvictionAndLossWhereTokensRiseAllTheSame() {
        List<Finding> findings = examine(forgetful.uri(), TokenMode.CLOCK_FLOOR);

        assertThat(severity(findings, "maxmemory-policy")).isEqualTo(Severity.WARNING);
        assertThat(severity(findings, "persistence")).isEqualTo(Severity.WARNING);
    }

    @Test
    void callsEvictionAndLossAProblemForCounters() {
        List<Finding> findings = examine(forgetful.uri(), TokenMode.COUNTER);

        assertThat(severity(findings, "maxmemory-policy")).isEqualTo(Severity.PROBLEM);
        assertThat(severity(findings, "persistence")).isEqualTo(Severity.PROBLEM);
    }

    @Test
    void saysWhatItMayNotAsk() {
        durable.call("ACL", "SETUSER", "guest", "on", ">x", "~*", "&*", "+@all", "-config", "-info");

        List<Finding> findings = examine("redis://guest:x@127.0.0.1:" + durable.port(), TokenMode.CLOCK_FLOOR);

        assertThat(severity(findings, "server")).isEqualTo(Severity.WARNING);
        assertThat(findings).extracting(Finding::detail).anyMatch(detail -> detail.contains("INFO"));
    }

    @Test
    void warnsOfAUserWithoutChannels() {
        durable.call("ACL", "SETUSER", "deaf", "on", ">x", "~*", "resetchannels", "+@all");

        List<Finding> findings = examine("redis://deaf:x@127.0.0.1:" + durable.port(), TokenMode.CLOCK_FLOOR);

        assertThat(severity(findings, "channels")).isEqualTo(Severity.WARNING);
        assertThat(findings).extracting(Finding::remedy).anyMatch(remedy -> remedy.contains("fenceline:*"));
    }

    @Test
    void findsNoFaultInAUserWithTheDocumentedRights() {
        durable.call(
                "ACL",
                "SETUSER",
                "app",
                "on",
                ">x",
                "~fenceline:*",
                "&fenceline:*",
                "+@connection",
                "+@scripting",
                "+@hash",
                "+@keyspace",
                "+@pubsub",
                "+time",
                "-@dangerous");

        List<Finding> findings = examine("redis://app:x@127.0.0.1:" + durable.port(), TokenMode.CLOCK_FLOOR);

        assertThat(severity(findings, "writes")).isEqualTo(Severity.OK);
        assertThat(severity(findings, "channels")).isEqualTo(Severity.OK);
        assertThatAnActWithoutARecordChangesNothing("redis://app:x@127.0.0.1:" + durable.port());
        durable.call("FLUSHALL");
    }

    /** Records are lists, for which the user has no right. */
    private static void assertThatAnActWithoutARecordChangesNothing(String uri) {
        try (LockBackend backend = Backends.open(uri);
                Locks locks = Locks.over(backend);
                Lease lease = locks.tryAcquire("recorded").orElseThrow()) {
            LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> catalog.forceRelease(lease.key(), Holder.of("operator")));
            FencingToken higher = FencingToken.of(lease.token().value() + 1);
            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> catalog.raiseToken(lease.key(), higher, Holder.of("operator")));

            assertThat(backend.isLocked(lease.key())).isTrue();
            assertThat(catalog.lastToken(lease.key())).contains(lease.token());
        }
    }

    /** Each answers everything but what changes something. */
    @Test
    void findsThatNothingCanBeWritten() {
        durable.call("ACL", "SETUSER", "reader", "on", ">x", "~*", "&*", "+@all", "-@write");
        String reader = "redis://reader:x@127.0.0.1:" + durable.port();
        assertThat(severity(examine(reader, TokenMode.CLOCK_FLOOR), "writes")).isEqualTo(Severity.PROBLEM);

        try (RedisServer full = RedisServer.start(RedisSettings.durable().with("maxmemory", "1kb"));
                RedisServer alone = RedisServer.start(RedisSettings.durable().with("min-replicas-to-write", "1"))) {
            assertThat(detail(examine(full.uri(), TokenMode.CLOCK_FLOOR), "writes"))
                    .contains("memory is full");
            assertThat(detail(examine(alone.uri(), TokenMode.CLOCK_FLOOR), "writes"))
                    .contains("replicas");
        }
        assertThat(durable.call("KEYS", "*").toString()).isEqualTo("[]");
    }

    /** As one that was promoted elsewhere. What else it can be asked is told all the same. */
    @Test
    void asksAReplicaToo() {
        try (RedisServer replica = RedisServer.start(RedisSettings.inMemory())) {
            replica.call("REPLICAOF", "127.0.0.1", String.valueOf(durable.port()));

            List<Finding> findings = examine(replica.uri(), TokenMode.CLOCK_FLOOR);

            assertThat(severity(findings, "writes")).isEqualTo(Severity.PROBLEM);
            assertThat(severity(findings, "version")).isEqualTo(Severity.OK);
        }
    }

    @Test
    void namesTheMasterOfAClusterThatCannotBeReachedAndExaminesTheOthers() {
        try (RedisCluster cluster = RedisCluster.start(RedisSettings.inMemory())) {
            cluster.nodes().forEach(node -> node.call("CONFIG", "SET", "cluster-node-timeout", "60000"));
            List<RedisServer> nodes = cluster.nodes();
            RedisServer dead = nodes.get(0);
            try (RedisLockBackend backend = RedisLockBackend.open(cluster.uri(), RedisOptions.defaults())) {
                LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
                assertThat(catalog.list("", 10)).isEmpty();
                dead.pause();
                assertThatThrownBy(() -> catalog.list("", 10))
                        .as("on a connection that is there")
                        .hasMessageContaining("lock store 127.0.0.1:" + dead.port() + ": no reply");
            }
            dead.kill();

            List<Finding> findings = examine(cluster.uri(), TokenMode.CLOCK_FLOOR);

            assertThat(finding(findings, "server of").toString())
                    .contains("PROBLEM", "127.0.0.1:" + dead.port() + ": it cannot be reached");
            assertThat(findings)
                    .extracting(Finding::subject)
                    .contains(
                            "version of 127.0.0.1:" + nodes.get(1).port(),
                            "version of 127.0.0.1:" + nodes.get(2).port());
            try (RedisLockBackend backend = RedisLockBackend.open(cluster.uri(), RedisOptions.defaults())) {
                LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
                assertThatThrownBy(() -> catalog.list("", 10))
                        .isInstanceOf(BackendException.class)
                        .hasMessageContaining("127.0.0.1:" + dead.port() + ": it cannot be reached");
            }
        }
    }

    @Test
    void aListingInAClusterThatIsDownIsAnOutage() {
        try (RedisCluster cluster = RedisCluster.start(RedisSettings.inMemory());
                RedisLockBackend backend = RedisLockBackend.open(cluster.uri(), RedisOptions.defaults())) {
            LockCatalog catalog = backend.ability(LockCatalog.class).orElseThrow();
            catalog.raiseToken(LockKey.of("invoice:42"), FencingToken.of(1), Holder.of("operator"));
            cluster.nodes().forEach(node -> node.call("CLUSTER", "DELSLOTS", "0"));
            await().untilAsserted(() -> assertThatThrownBy(() -> catalog.list("", 10))
                    .isInstanceOf(BackendException.class)
                    .hasMessageContaining("the cluster does not serve")
                    .extracting(e -> ((BackendException) e).code())
                    .isEqualTo(ErrorCode.SERVICE_UNAVAILABLE));
        }
    }

    private static String detail(List<Finding> findings, String subject) {
        return finding(findings, subject).detail();
    }

    private static Severity severity(List<Finding> findings, String subject) {
        return finding(findings, subject).severity();
    }

    private static Finding finding(List<Finding> findings, String subject) {
        return findings.stream()
                .filter(finding -> finding.subject().startsWith(subject))
                .findFirst()
                .orElseThrow();
    }

    private static List<Finding> examine(String uri, TokenMode mode) {
        try (RedisLockBackend backend =
                RedisLockBackend.open(uri, RedisOptions.defaults().withTokenMode(mode))) {
            return backend.ability(SelfDiagnosis.class).orElseThrow().diagnose();
        }
    }
}
