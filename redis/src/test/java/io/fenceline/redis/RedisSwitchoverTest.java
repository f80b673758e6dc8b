package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two servers behind one address, which leads new connections to the other one after a switchover; open connections stay. */
@Timeout(60)
class RedisSwitchoverTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final RedisOptions OPTIONS = RedisOptions.defaults();

    private static final LockKey ANOTHER = LockKey.of("invoice:43");
    private static final RedisSettings SETTINGS = RedisSettings.inMemory().with("repl-diskless-sync-delay", "0");

    private final RedisServer first = RedisServer.start(SETTINGS);
    private final RedisServer second = RedisServer.start(SETTINGS.with("replicaof", "127.0.0.1 " + first.port()));
    private final FaultProxy address = FaultProxy.to("127.0.0.1", first.port());

    @BeforeEach
    void awaitReplica() {
        await().until(() -> second.info("master_link_status").equals("up"));
    }

    @AfterEach
    void close() {
        address.close();
        second.close();
        first.close();
    }

    @Test
    @Tag("G10")
    void theBackendWorksAgainAfterOneRefusal() {
        try (RedisLockBackend backend = RedisLockBackend.open(uri(), OPTIONS)) {
            assertThat(take(backend, KEY)).isInstanceOf(Granted.class);
            switchOver();

            assertThat(catchThrowableOfType(BackendException.class, () -> take(backend, ANOTHER))
                            .effect())
                    .isEqualTo(Effect.NONE);

            assertThat(take(backend, KEY)).isInstanceOf(Contended.class);
            assertThat(take(backend, ANOTHER)).isInstanceOf(Granted.class);
        }
    }

    @Test
    @Tag("G10")
    void theBackendWorksAgainIfItWaitsForReplicas() {
        RedisOptions acknowledged = OPTIONS.withAcknowledgement(Acknowledgement.of(1, Duration.ofSeconds(2)));
        try (RedisLockBackend backend = RedisLockBackend.open(uri(), acknowledged)) {
            assertThat(take(backend, KEY)).isInstanceOf(Granted.class);
            switchOver();

            await().ignoreExceptions().until(() -> take(backend, ANOTHER) instanceof Granted);
        }
    }

    @Test
    void waitersAreHandedTheLockByTheNewMaster() throws InterruptedException {
        try (RedisLockBackend backend = RedisLockBackend.open(uri(), OPTIONS)) {
            LockId holder = LockId.random();
            backend.acquire(request(KEY, holder, Duration.ZERO));
            AcquireRequest patient = request(KEY, LockId.random(), Duration.ofMinutes(1));
            assertThat(((Contended) backend.acquire(patient)).queued()).isTrue();
            switchOver();
            await().ignoreExceptions().until(() -> ((Contended) backend.acquire(patient)).queued());
            await().until(() -> second.call("PUBSUB", "CHANNELS").toString().contains("fenceline:waiter:"));
            BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
            backend.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, patient.lockId(), heard::add);

            heard.clear(); // one that stood in line before is told that it may have missed something
            assertThat(backend.release(KEY, holder)).isTrue();

            Acquisition outcome;
            do {
                assertThat(heard.poll(10, TimeUnit.SECONDS)).isNotNull();
                outcome = backend.acquire(patient);
            } while (!(outcome instanceof Granted));
        }
    }

    private void switchOver() {
        await().until(() -> first.info("master_repl_offset").equals(second.info("slave_repl_offset")));
        address.redirect("127.0.0.1", second.port());
        second.call("REPLICAOF", "NO", "ONE");
        first.call("REPLICAOF", "127.0.0.1", Integer.toString(second.port()));
    }

    private String uri() {
        return "redis://127.0.0.1:" + address.port();
    }

    private static Acquisition take(RedisLockBackend backend, LockKey key) {
        return backend.acquire(request(key, LockId.random(), Duration.ZERO));
    }

    private static AcquireRequest request(LockKey key, LockId lockId, Duration maxWait) {
        return new AcquireRequest(key, lockId, Duration.ofMinutes(1), Holder.of("node"), 1, maxWait);
    }
}
