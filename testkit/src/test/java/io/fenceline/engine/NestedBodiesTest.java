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

    private final Bench bench = Bench.polling();

    /** As of a batch that works on each item under a lock too: the loss of the inner lease must not hide that of the outer. */
    @Test
    void theOuterOneIsInterruptedThoughTheInnerOneWasToo() {
        AtomicBoolean told = new AtomicBoolean();

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bench.locks.run("batch", INTERRUPTING, batch -> {
                    bench.locks.run("longer", INTERRUPTING.withTtl(TTL.multipliedBy(2)), longer -> {
                        assertThatExceptionOfType(LeaseLostException.class)
                                .isThrownBy(() -> bench.locks.run("item", INTERRUPTING, item -> bench.pass(DEADLINE)));
                    });
                    told.set(Thread.interrupted());
                }));

        assertThat(told).isTrue();
    }

    @Test
    void anOuterOneWhoseLeaseIsHeldIsNotInterrupted() throws InterruptedException {
        bench.locks.run("batch", INTERRUPTING.withTtl(TTL.multipliedBy(3)), batch -> {
            assertThatExceptionOfType(LeaseLostException.class)
                    .isThrownBy(() -> bench.locks.run("item", INTERRUPTING, item -> bench.pass(DEADLINE)));
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void theOuterOneIsInterruptedAroundTheSecondOfTwoToo() {
        AtomicBoolean told = new AtomicBoolean();

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bench.locks.run("batch", INTERRUPTING, batch -> {
                    bench.locks.run("first item", INTERRUPTING, item -> {});
                    assertThatExceptionOfType(LeaseLostException.class)
                            .isThrownBy(
                                    () -> bench.locks.run("second item", INTERRUPTING, item -> bench.pass(DEADLINE)));
                    told.set(Thread.interrupted());
                }));

        assertThat(told).isTrue();
    }

    @Test
    void theOuterOneIsInterruptedThoughTheInnerOneTookTheInterruptForItsOwn() {
        AtomicBoolean told = new AtomicBoolean();

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bench.locks.run("batch", INTERRUPTING, batch -> {
                    bench.locks.run("item", INTERRUPTING.withTtl(TTL.multipliedBy(2)), item -> {
                        bench.pass(DEADLINE);
                        assertThat(Thread.interrupted()).isTrue();
                    });
                    told.set(Thread.interrupted());
                }));

        assertThat(told).isTrue();
    }

    @Test
    void theOuterOneIsNotInterruptedOnceMoreIfTheInnerOneThrowsTheInterruptedException() {
        AtomicBoolean toldAgain = new AtomicBoolean();

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bench.locks.run("batch", INTERRUPTING, batch -> {
                    assertThatExceptionOfType(InterruptedException.class)
                            .isThrownBy(
                                    () -> bench.locks.run("item", INTERRUPTING.withTtl(TTL.multipliedBy(2)), item -> {
                                        bench.pass(DEADLINE);
                                        bench.time.park(1);
                                    }));
                    toldAgain.set(Thread.interrupted());
                }));

        assertThat(toldAgain).isFalse();
    }

    /** The inner loss takes the place of the exception that would tell the outer body. */
    @Test
    void theOuterOneIsInterruptedThoughTheInnerOneThrowsTheInterruptedExceptionOfItsOwnLoss() {
        AtomicBoolean told = new AtomicBoolean();

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bench.locks.run("batch", INTERRUPTING, batch -> {
                    assertThatExceptionOfType(LeaseLostException.class)
                            .isThrownBy(() -> bench.locks.run("item", INTERRUPTING, item -> {
                                bench.pass(DEADLINE);
                                bench.time.park(1);
                            }));
                    told.set(Thread.interrupted());
                }));

        assertThat(told).isTrue();
    }

    @Test
    void theOuterOneIsNotInterruptedOnceMoreAfterOneThatBeganLater() {
        AtomicBoolean toldAgain = new AtomicBoolean();

        assertThatExceptionOfType(LeaseLostException.class)
                .isThrownBy(() -> bench.locks.run("batch", INTERRUPTING, batch -> {
                    bench.pass(DEADLINE);
                    assertThat(Thread.interrupted()).isTrue();
                    bench.locks.run(
                            "cleanup",
                            INTERRUPTING,
                            cleanup -> bench.locks.run("a part of it", INTERRUPTING, part -> {}));
                    toldAgain.set(Thread.interrupted());
                }));

        assertThat(toldAgain).isFalse();
    }
}
