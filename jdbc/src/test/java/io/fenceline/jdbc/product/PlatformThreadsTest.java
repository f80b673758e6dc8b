package io.fenceline.jdbc.product;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Where calls run, and that an interrupt of a virtual thread breaks none off. */
class PlatformThreadsTest {

    private final PlatformThreads platform = new PlatformThreads();

    @Test
    void aThreadOfThePlatformMakesItsCallsItself() {
        Thread caller = Thread.currentThread();

        assertThat(platform.<Thread>run(1_000, left -> Thread.currentThread())).isSameAs(caller);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void aVirtualThreadWaitsForItsCallThoughItIsInterrupted() throws Exception {
        BlockingQueue<String> seen = new LinkedBlockingQueue<>();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ends = new CountDownLatch(1);
        Thread caller = startVirtual(() -> {
            String answer = platform.run(60_000, left -> {
                begun.countDown();
                boolean undisturbed = awaited(ends);
                return Thread.currentThread().getName() + (undisturbed ? ", undisturbed" : ", interrupted");
            });
            seen.add(answer + (Thread.currentThread().isInterrupted() ? ", status kept" : ", status lost"));
        });
        assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();

        caller.interrupt();
        caller.join(100);
        ends.countDown();

        assertThat(seen.poll(10, TimeUnit.SECONDS)).isEqualTo("fenceline-jdbc, undisturbed, status kept");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void whatACallThrowsIsThrown() throws Exception {
        CountDownLatch done = new CountDownLatch(1);
        startVirtual(() -> {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> platform.run(1_000, left -> {
                        throw new IllegalStateException("thrown by the test");
                    }))
                    .withMessage("thrown by the test");
            done.countDown();
        });

        assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private static Thread startVirtual(Runnable work) throws ReflectiveOperationException {
        return (Thread)
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
    }
}
