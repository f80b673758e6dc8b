package io.fenceline.testkit;

import io.fenceline.guard.GenerationClock;
import io.fenceline.guard.MemoryGenerationClock;

class MemoryGenerationClockTest extends GenerationClockContract {

    private final GenerationClock clock = new MemoryGenerationClock();

    @Override
    protected GenerationClock openClock() {
        return clock;
    }
}
