package io.fenceline.spring.boot.test;

import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import io.fenceline.testkit.ManualTime;
import io.fenceline.time.TimeSource;
import io.fenceline.time.WallClock;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Adds locks in memory, by time that stands still. */
@AutoConfiguration(beforeName = "io.fenceline.spring.boot.autoconfigure.FencelineBackendAutoConfiguration")
class FencelineTestAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ManualTime fencelineTime() {
        return new ManualTime();
    }

    @Bean
    @ConditionalOnMissingBean
    TimeSource fencelineTimeSource(ManualTime time) {
        return time.source();
    }

    @Bean
    @ConditionalOnMissingBean
    LockBackend fencelineMemoryBackend(ManualTime time) {
        // A database keeps its fences for later contexts and runs, whose tokens must not begin at 1 again.
        return new MemoryLockBackend(new MemoryStore(TokenMode.CLOCK_FLOOR, time, WallClock.system()));
    }
}
