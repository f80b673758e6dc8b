package io.fenceline.engine;

import static io.fenceline.engine.Bench.MARGIN;
import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.LeaseLostException;
import io.fenceline.LockOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** L2: of the bodies of one thread, each is interrupted once when its own lease is lost. */
class NestedBodiesTest {

    private static final Duration DEADLINE = TTL.minus(MARGIN);
    private static final LockOptions INTERRUPTING = OPTIONS.withoutRenewal().withInterruptOnLoss();
    private static final LockOptions LONGER = INTERRUPTING.withTtl(TTL.multipliedBy(3));

    private final Bench bench = Bench.polling();

    /** As of a batch that works on each item under a lock too: the loss of the inner lease must not hide that of the outer. */
    @Test
    void theOuterOneIsInterruptedThoughTheInnerOneWasToo() {
        assertThat(isInterruptedAfter(() -> bench.locks.run("longer", LONGER, longer -> loseItem(() -> {}))))
                .isTrue();
    }

    @Test
    void anOuterOneWhoseLeaseIsHeldIsNotInterrupted() throws InterruptedException {
        bench.locks.run("batch", LONGER, batch -> {
            loseItem(() -> {});
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void theOuterOneIsInterruptedAroundTheSecondOfTwoToo() {
        assertThat(isInterruptedAfter(() -> {
                    bench.locks.run("first item", INTERRUPTING, item -> {});
                    loseItem(() -> {});
                }))
                .isTrue();
    }

    @Test
    void theOuterOneIsInterruptedThoughTheInnerOneTookTheInterruptForItsOwn() {
        assertThat(isInterruptedAfter(() -> bench.locks.run("item", LONGER, item -> {
                    bench.pass(DEADLINE);
                    assertThat(Thread.interrupted()).isTrue();
                })))
                .isTrue();
    }

    @Test
    void theOuterOneIsNotInterruptedOnceMoreIfTheInnerOneThrowsTheInterruptedException() {
        assertThat(isInterruptedAfter(() -> assertThatExceptionOfType(InterruptedException.class)
                        .isThrownBy(() -> bench.locks.run("item", LONGER, item -> {
                            bench.pass(DEADLINE);
                            bench.time.park(1);
                        }))))
                .isFalse();
    }

    /** The inner loss takes the place of the exception that would tell the outer body. */
    @Test
    void theOuterOneIsInterruptedThoughTheInnerOneThrowsTheInterruptedExceptionOfItsOwnLoss() {
        assertThat(isInterruptedAfter(() -> loseItem(() -> bench.time.park(1)))).isTrue();
    }

    @Test
    void theOuterOneIsNotInterruptedOnceMoreAfterOneThatBeganLater() {
        assertThat(isInterruptedAfter(() -> {
                    bench.pass(DEADLINE);
                    assertThat(Thread.interrupted()).isTrue();
                    bench.locks.run(
                            "cleanup",
                            INTERRUPTING,
                            cleanup -> bench.locks.run("a part of it", INTERRUPTING, part -> {}));
                }))
                .isFalse();
    }

    /** Runs work in a body whose lease is lost meanwhile, and returns whether the thread is interrupted when the work is done. */
    private boolean isInterruptedAfter(Work work) {
        AtomicBoolean interrupted = new AtomicBoolean();
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bench.locks.run("batch", INTERRUPTING, batch -> {
                    work.run();
                    interrupted.set(Thread.interrupted());
                }));
        return interrupted.get();
    }

    /** Runs a body whose lease is lost, and then work in it. */
    private void loseItem(Work then) {
        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bench.locks.run("item", INTERRUPTING, item -> {
                    bench.pass(DEADLINE);
                    then.run();
                }));
    }

    private interface Work {
        void run() throws InterruptedException;
    }
}
