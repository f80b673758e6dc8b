package io.fenceline.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.context.ProcessEnvironment;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.LockBackend;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A wait that is over is not told of any more, whatever the backend answers later. */
class EndedWaitNoticeTest {

    private final StringWriter errors = new StringWriter();
    private final WaitNotice notice = WaitNotice.start(
            new CommandContext(new ProcessEnvironment(
                    Map.of("FENCELINE_BACKEND", "sqlite:unused.db"),
                    InputStream.nullInputStream(),
                    new PrintWriter(new StringWriter()),
                    new PrintWriter(errors, true),
                    false)),
            true);
    private final LockBackend store = new MemoryLockBackend();
    private final LockBackend observed = notice.observing(store, "lock 'k', held");

    private static void ask(LockBackend backend) {
        backend.acquire(AcquireRequest.of(LockKey.of("k"), LockId.random(), Duration.ofMinutes(1), Holder.of("me")));
    }

    @Test
    void tellsOfATakenLockUntilItsEnd() {
        notice.storeIsKnown();
        ask(store);
        ask(observed);
        assertThat(errors.toString()).hasLineCount(1).contains("waiting for lock 'k', held by me");
    }

    @Test
    void tellsNothingAfterItsEnd() {
        notice.storeIsKnown();
        ask(store);
        notice.close();
        ask(observed);
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void endsWithTheGrant() {
        notice.storeIsKnown();
        ask(observed);
        ask(observed);
        assertThat(errors.toString()).isEmpty();
    }
}
