package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Releases of ids that were given up, sent to servers whose replies come when the test says so. */
@Timeout(60)
class AbandonedRequestsTest {

    private static final LockKey KEY = LockKey.of("invoice:42");

    private final List<Sent> sent = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger unsendable = new AtomicInteger();
    private final AbandonedRequests givenUp = new AbandonedRequests(this::send);

    private record Sent(LockId lockId, CompletableFuture<Object> reply) {}

    private CompletionStage<?> send(LockKey key, LockId lockId) {
        if (unsendable.getAndDecrement() > 0) {
            throw new IllegalStateException("no session");
        }
        Sent release = new Sent(lockId, new CompletableFuture<>());
        sent.add(release);
        return release.reply();
    }

    @AfterEach
    void close() {
        givenUp.close();
    }

    @Test
    @Tag("L7")
    void aReplyThatDoesNotComeDelaysNoOtherRelease() {
        LockId silent = add();
        LockId sound = add();

        givenUp.undo(silent);
        awaitSent(1);
        givenUp.undo(sound);

        awaitSent(2);
        assertThat(sent.get(1).lockId()).isEqualTo(sound);
    }

    @Test
    @Tag("L7")
    void aReleaseThatFailedIsRepeated() {
        givenUp.undo(add());
        awaitSent(1);

        sent.get(0).reply().completeExceptionally(new IllegalStateException("no answer"));

        awaitSent(2);
    }

    @Test
    @Tag("L7")
    void aReleaseThatCannotBeSentIsRepeated() {
        unsendable.set(1);

        givenUp.undo(add());

        awaitSent(1);
    }

    @Test
    void anIdUnderWhichSomebodyAsksAgainIsNotReleasedAnyMore() {
        LockId lockId = add();
        givenUp.undo(lockId);
        awaitSent(1);

        givenUp.remove(lockId);
        sent.get(0).reply().completeExceptionally(new IllegalStateException("no answer"));
        givenUp.undo(lockId);
        LockId other = add();
        awaitPause();
        givenUp.undo(other);

        awaitSent(2);
        assertThat(sent).extracting(Sent::lockId).containsExactly(lockId, other);
    }

    @Test
    @Tag("L7")
    void anIdIsReleasedAgainIfItWasHandedTheLockAfterTheReleaseWasSent() {
        LockId lockId = add();
        givenUp.undo(lockId);
        awaitSent(1);

        givenUp.undo(lockId);
        sent.get(0).reply().complete("nothing to release");

        awaitSent(2);
    }

    @Test
    void releasesDoNotPileUpWhileNobodyReplies() {
        LockId first = add();
        givenUp.undo(first);
        awaitSent(1);
        for (int i = 0; i < 10; i++) {
            givenUp.undoAll();
        }
        givenUp.undo(add());
        awaitSent(2);

        assertThat(sent).extracting(Sent::lockId).containsOnlyOnce(first);
    }

    @Test
    void onlyTheLatestIdsAreKept() {
        LockId first = add();
        for (int i = 0; i < AbandonedRequests.MAX_IDS; i++) {
            add();
        }

        givenUp.undoAll();

        awaitSent(AbandonedRequests.MAX_IDS);
        assertThat(sent).extracting(Sent::lockId).doesNotContain(first);
    }

    /** Longer than the pause before the second try. */
    private static void awaitPause() {
        await().pollDelay(Duration.ofMillis(200)).until(() -> true);
    }

    private LockId add() {
        LockId lockId = LockId.random();
        givenUp.add(lockId, KEY);
        return lockId;
    }

    private void awaitSent(int count) {
        await().until(() -> sent.size() == count);
    }
}
