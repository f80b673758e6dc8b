package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.spi.LockBackend;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/** The checker has to see a backend fail that looks before it takes. */
class LinearizabilityTestCanFailTest {

    @Test
    void noticesThatTwoStepsAreNotOne() {
        StressOptions options = new StressOptions()
                .iterations(30)
                .invocationsPerIteration(500)
                .threads(3)
                .minimizeFailedScenario(false)
                .sequentialSpecification(SequentialLocks.class);

        assertThatExceptionOfType(LincheckAssertionError.class).isThrownBy(() -> options.check(Broken.class));
    }

    /** Not found by test engines, as it is nested and static. */
    @Param(name = "key", gen = IntGen.class, conf = "1:2")
    @Param(name = "id", gen = IntGen.class, conf = "1:3")
    public static class Broken extends MemoryLockBackendLinearizabilityTest {

        @Override
        LockBackend newBackend(AtomicLong time) {
            return new Mutants.LooksBeforeItTakes().breakIt(super.newBackend(time));
        }
    }
}
