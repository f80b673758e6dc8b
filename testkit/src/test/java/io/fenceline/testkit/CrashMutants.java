package io.fenceline.testkit;

import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import java.time.Duration;

/** Stores and clients that do not outlive crashes, and the contracts for each of them. */
final class CrashMutants {

    private CrashMutants() {}

    static final class KeepsLeasesOfTheDead extends ClientProcessContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new BrokenClients("tcp-keeping");
        }
    }

    static final class GrantsTokensAgain extends ClientProcessContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new BrokenClients("tcp-repeating");
        }
    }

    static final class GivesATurnTheTokenOfAnother extends TurnTakingContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new BrokenClients("tcp-repeating");
        }
    }

    static final class TakesLongerThanItsTurn extends TurnTakingContract {
        @Override
        protected ClientProcessFixture newFixture() {
            return new BrokenClients("tcp-lingering");
        }
    }

    static final class LosesItsData extends ServerCrashContract {
        @Override
        protected OutageFixture newFixture() {
            return new ForgetfulServer();
        }
    }

    /** A sound store whose other clients are broken. */
    private static final class BrokenClients implements ClientProcessFixture {

        private final TcpFixture sound = new TcpFixture();
        private final String scheme;

        BrokenClients(String scheme) {
            this.scheme = scheme;
        }

        @Override
        public String uri() {
            return TcpBackendProvider.uri(scheme, sound.proxy().port());
        }

        @Override
        public Duration allowance() {
            return Duration.ofMillis(300);
        }

        @Override
        public LockBackend open() {
            return sound.open();
        }

        @Override
        public TokenMode tokenMode() {
            return sound.tokenMode();
        }

        @Override
        public void restart() {
            sound.restart();
        }

        @Override
        public void close() {
            sound.close();
        }
    }

    /** A store that forgets all when it is killed. */
    private static final class ForgetfulServer implements OutageFixture {

        private final TcpFixture sound = new TcpFixture();

        @Override
        public void stopStore() {
            sound.stopStore();
        }

        @Override
        public void killStore() {
            sound.stopStore();
            sound.store().lose();
        }

        @Override
        public void startStore() {
            sound.startStore();
        }

        @Override
        public LockBackend open() {
            return sound.open();
        }

        @Override
        public TokenMode tokenMode() {
            return sound.tokenMode();
        }

        @Override
        public void restart() {
            sound.restart();
        }

        @Override
        public void close() {
            sound.close();
        }
    }
}
