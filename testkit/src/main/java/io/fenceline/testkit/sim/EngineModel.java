package io.fenceline.testkit.sim;

import io.fenceline.LocksBuilder;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.TimeSource;

/** Makes one client's engine; another than the production one is a mutant. */
@FunctionalInterface
interface EngineModel {

    LocksBuilder build(LockBackend remote, TimeSource time);
}
