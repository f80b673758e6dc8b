package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.redis.link.LettuceLink;
import io.fenceline.redis.link.LettuceStore;
import io.fenceline.servers.RedisCluster;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.BulkExtension;
import io.fenceline.spi.BulkExtension.Extension;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases that are extended together, as if each were extended alone. */
@Tag("G6")
class RedisBulkExtensionTest {

    private static final Duration TTL = Duration.ofMinutes(1);
    private static final RedisOptions OPTIONS = RedisOptions.defaults();

    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void empty() {
        server.flush();
    }

    @Test
    void haveTheEndsThatExtendingEachWouldGiveThem() {
        AtomicLong seconds = new AtomicLong(4_000_000_000L);
        LettuceStore store = RedisAddress.parse(server.uri(), "").open(OPTIONS.commandTimeout());
        LettuceLink link = LettuceLink.open(store, OPTIONS.commandTimeout());
        try (LockBackend backend = new RedisLockBackend(
                new RewritingLink(link, false, text -> text.replace("redis.call('TIME')", "{ " + seconds + ", 7 }")),
                store.errors(),
                OPTIONS)) {
            Grant expired = take(backend, LockKey.of("alone expired"), Duration.ofSeconds(5));
            Grant expiredToo = take(backend, LockKey.of("together expired"), Duration.ofSeconds(5));
            seconds.addAndGet(5);
            List<Extension> alone = leases(backend, "alone", expired);
            List<Extension> together = leases(backend, "together", expiredToo);

            List<Optional<Instant>> ends = extendAll(backend, together);

            assertThat(ends)
                    .isEqualTo(alone.stream().map(each -> extend(backend, each)).toList());
            Instant now = Instant.ofEpochSecond(seconds.get(), 7_000);
            assertThat(ends)
                    .containsExactly(
                            Optional.of(now.plus(TTL)),
                            Optional.of(now.plus(Duration.ofHours(1))),
                            Optional.of(now.plus(TTL.multipliedBy(2))),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty());
            for (int i = 0; i < 3; i++) {
                assertThat(backend.lookup(together.get(i).key())
                                .orElseThrow()
                                .raw()
                                .expiresAt())
                        .isEqualTo(ends.get(i).orElseThrow());
            }
        }
    }

    /** One lease to extend, one that ends later already, one of another ttl, one that is over, one of another id, an unknown key, and no lock. */
    private static List<Extension> leases(LockBackend backend, String name, Grant expired) {
        LockKey foreign = LockKey.of(name + " foreign");
        take(backend, foreign, TTL);
        server.call("SET", "fenceline:{" + name + " string}", "of somebody else's");
        return List.of(
                extension(take(backend, LockKey.of(name + " running"), Duration.ofSeconds(30)), TTL),
                extension(take(backend, LockKey.of(name + " longer"), Duration.ofHours(1)), TTL),
                extension(take(backend, LockKey.of(name + " of another ttl"), TTL), TTL.multipliedBy(2)),
                extension(expired, TTL),
                new Extension(foreign, LockId.random(), TTL),
                new Extension(LockKey.of(name + " unknown"), LockId.random(), TTL),
                new Extension(LockKey.of(name + " string"), LockId.random(), TTL));
    }

    @Test
    void goInSeveralCommandsIfThereAreMany() {
        try (RedisLockBackend backend = RedisLockBackend.open(server.uri(), OPTIONS)) {
            List<Extension> all = IntStream.range(0, 450)
                    .mapToObj(i -> extension(take(backend, LockKey.of("key " + i), Duration.ofSeconds(30)), TTL))
                    .toList();
            bulk(backend).extendAll(all.subList(0, 1));
            server.call("CONFIG", "RESETSTAT");

            List<Optional<Instant>> ends = extendAll(backend, all);

            assertThat(server.info("cmdstat_evalsha")).startsWith("calls=3,");
            assertThat(ends).hasSameSizeAs(all);
            for (int i = 0; i < all.size(); i++) {
                assertThat(ends.get(i))
                        .hasValue(backend.lookup(all.get(i).key())
                                .orElseThrow()
                                .raw()
                                .expiresAt());
            }
            assertThat(bulk(backend).extendAll(List.of())).isEmpty();
        }
    }

    @Test
    @Tag("G10")
    void haveTheirOldEndOrTheirNewOneIfTheReplyIsLost() {
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
                RedisLockBackend backend = RedisLockBackend.open(
                        "redis://127.0.0.1:" + proxy.port(), OPTIONS.withCommandTimeout(Duration.ofSeconds(1)))) {
            List<Extension> all = Stream.of("a", "b")
                    .map(key -> extension(take(backend, LockKey.of(key), Duration.ofSeconds(30)), TTL))
                    .toList();
            bulk(backend).extendAll(all);
            proxy.toClient().stall();

            BackendException failure = catchThrowableOfType(
                    BackendException.class, () -> bulk(backend).extendAll(all));

            assertThat(failure.code()).isEqualTo(ErrorCode.NETWORK_TIMEOUT);
            assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
            proxy.cut();
            proxy.heal();
            await().ignoreExceptions()
                    .until(() -> extendAll(backend, all).stream().allMatch(Optional::isPresent));
        }
    }

    @Test
    void areNotExtendedWithoutTheReplicasThatMustAcknowledge() {
        try (RedisLockBackend backend = RedisLockBackend.open(server.uri(), OPTIONS);
                RedisLockBackend acknowledged = RedisLockBackend.open(
                        server.uri(), OPTIONS.withAcknowledgement(Acknowledgement.of(1, Duration.ofMillis(50))))) {
            Extension held = extension(take(backend, LockKey.of("a"), TTL), TTL);
            Extension unknown = new Extension(LockKey.of("b"), LockId.random(), TTL);

            assertThat(catchThrowableOfType(
                                    BackendException.class,
                                    () -> bulk(acknowledged).extendAll(List.of(unknown, held)))
                            .effect())
                    .isEqualTo(Effect.UNKNOWN);
            assertThat(extendAll(acknowledged, List.of(unknown))).containsExactly(Optional.empty());
        }
    }

    @Test
    void areNotOfferedWhereTheLocksAreOnSeveralServersOrInSyncGuardsLayout() {
        try (RedisCluster cluster = RedisCluster.start(RedisSettings.inMemory());
                RedisLockBackend spread = RedisLockBackend.open(cluster.uri(), OPTIONS);
                RedisLockBackend shared =
                        RedisLockBackend.open(server.uri(), OPTIONS.withLayout(KeyLayout.syncGuard("sg")))) {
            assertThat(spread.ability(BulkExtension.class)).isEmpty();
            assertThat(shared.ability(BulkExtension.class)).isEmpty();
        }
    }

    private static Optional<Instant> extend(LockBackend backend, Extension extension) {
        return backend.extend(extension.key(), extension.lockId(), extension.ttl());
    }

    private static List<Optional<Instant>> extendAll(LockBackend backend, List<Extension> extensions) {
        return bulk(backend).extendAll(extensions).stream()
                .map(BulkExtension.Answer::end)
                .toList();
    }

    private static BulkExtension bulk(LockBackend backend) {
        return backend.ability(BulkExtension.class).orElseThrow();
    }

    private static Extension extension(Grant grant, Duration ttl) {
        return new Extension(grant.key(), grant.lockId(), ttl);
    }

    private static Grant take(LockBackend backend, LockKey key, Duration ttl) {
        return ((Granted) backend.acquire(AcquireRequest.of(key, LockId.random(), ttl, Holder.of("node")))).grant();
    }
}
