package io.fenceline.testkit.sim;

import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.memory.MemoryStore;
import io.fenceline.spi.TokenMode;
import java.util.function.UnaryOperator;

/**
 * The parts of a simulation. Everything but the backend is changed by mutants only.
 *
 * @param backend the server's backend
 * @param engine the clients' engine
 * @param options the last word on how locks are taken
 * @param fence the rule of the fenced register
 * @param watched whether due steps are run
 */
record Setup(
        BackendModel backend,
        EngineModel engine,
        UnaryOperator<LockOptions> options,
        TokenRule fence,
        boolean watched) {

    static Setup production() {
        return new Setup(
                (ticker, wallClock) -> new MemoryLockBackend(new MemoryStore(TokenMode.COUNTER, ticker, wallClock)),
                (remote, time) -> Locks.builder(remote).time(time),
                UnaryOperator.identity(),
                TokenRule.AT_LEAST,
                true);
    }

    Setup withBackend(BackendModel backend) {
        return new Setup(backend, engine, options, fence, watched);
    }

    Setup withEngine(EngineModel engine) {
        return new Setup(backend, engine, options, fence, watched);
    }

    Setup withOptions(UnaryOperator<LockOptions> options) {
        return new Setup(backend, engine, options, fence, watched);
    }

    Setup withFence(TokenRule fence) {
        return new Setup(backend, engine, options, fence, watched);
    }

    Setup unwatched() {
        return new Setup(backend, engine, options, fence, false);
    }
}
