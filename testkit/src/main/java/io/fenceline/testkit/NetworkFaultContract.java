package io.fenceline.testkit;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;

/** Contract of backends of a networked store when the network fails. Extended by tests with a {@link ProxiedFixture}. */
@Timeout(180)
public abstract class NetworkFaultContract extends AbilityContract {

    /** Creates the contract; called by test engines. */
    protected NetworkFaultContract() {}

    @Override
    protected abstract ProxiedFixture newFixture();

    private ProxiedFixture proxied() {
        return (ProxiedFixture) fixture();
    }

    @Nested
    class BrokenConnections extends BrokenConnectionContract {
        @Override
        ProxiedFixture fixture() {
            return proxied();
        }
    }

    @Nested
    class SilentNetwork extends SilentNetworkContract {
        @Override
        ProxiedFixture fixture() {
            return proxied();
        }
    }

    @Nested
    class LostReplies extends LostReplyContract {
        @Override
        ProxiedFixture fixture() {
            return proxied();
        }
    }

    @Nested
    class Leases extends NetworkLeaseContract {
        @Override
        ProxiedFixture fixture() {
            return proxied();
        }
    }
}
