package io.fenceline.testkit;

import io.fenceline.ErrorCode;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import java.time.Duration;

/** A store in memory behind a network that can be cut passes the contract of outages. */
class OutageContractTest extends OutageContract {

    @Override
    protected OutageFixture newFixture() {
        return new CutOffFixture();
    }

    private static final class CutOffFixture implements OutageFixture {

        private final FaultScript network = new FaultScript();
        private final MemoryFixture memory =
                new MemoryFixture(TokenMode.COUNTER, backend -> FaultyLockBackend.over(backend, network));

        @Override
        public void stopStore() {
            network.everything(Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
        }

        @Override
        public void startStore() {
            network.everything(Fault.none());
            network.times(2, BackendOperation.LOOKUP, Fault.lostRequest());
        }

        @Override
        public LockBackend open() {
            return memory.open();
        }

        @Override
        public TokenMode tokenMode() {
            return memory.tokenMode();
        }

        @Override
        public void passTime(Duration time) {
            memory.passTime(time);
        }

        @Override
        public void restart() {
            memory.restart();
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
