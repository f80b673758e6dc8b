package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.FencingToken;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holders that are killed (SIGKILL) at random moments: while they start, acquire, hold or renew. {@code -Dfenceline.kills=100} for
 * the long run, {@code -Dfenceline.seed=} for other moments.
 */
class KilledHoldersIT {

    private static final Duration TTL = Duration.ofSeconds(2);

    /** What the next one may have to wait: the ttl plus one second. */
    private static final String WAIT_SECONDS = "3";

    @TempDir
    private Path folder;

    @Test
    void leaveTheLockToTheNextOneWithinTheTtlPlusASecondAndWithAGreaterToken() {
        Random random = new Random(Long.getLong("fenceline.seed", 1));
        int kills = Integer.getInteger("fenceline.kills", 4);
        try (TestStore store = TestStore.in(folder)) {
            long last = 0;
            for (int i = 0; i < kills; i++) {
                long lifeMillis = 50 + random.nextInt(1500);
                kill(store, lifeMillis);

                CommandRun next = FencelineProcess.run(
                        store.uri(), "exec", "-w", WAIT_SECONDS, "k", "--", "sh", "-c", "echo $FENCELINE_TOKEN");

                assertThat(next.exitCode())
                        .as("after a life of %d ms: %s", lifeMillis, next)
                        .isZero();
                long token = FencingToken.parse(next.out()).value();
                assertThat(token).isGreaterThan(last);
                last = token;
            }
            assertThat(store.run("doctor").out()).contains("quick_check finds nothing");
        }
    }

    private static void kill(TestStore store, long lifeMillis) {
        try (FencelineProcess holder = FencelineProcess.start(
                store.uri(), "exec", "--ttl", TTL.toMillis() + "ms", "k", "--", "sleep", "1000")) {
            LockSupport.parkNanos(
                    TimeUnit.MILLISECONDS.toNanos(lifeMillis)); // the moment is the subject, not a condition
            holder.signal("KILL");
            await().until(() -> !holder.jvm().isAlive());
        }
    }
}
