package io.fenceline.testkit;

import org.junit.jupiter.api.Nested;

/** A store in memory behind a TCP port passes the contracts of networks. */
class NetworkFaultContractTest extends NetworkFaultContract {

    @Override
    protected ProxiedFixture newFixture() {
        return new TcpFixture();
    }

    @Nested
    class Trips extends RoundTripContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new TcpFixture();
        }
    }

    @Nested
    class Elections extends ElectionNetworkContract {
        @Override
        protected ProxiedFixture newFixture() {
            return new TcpFixture();
        }
    }

    @Nested
    class Outages extends OutageContract {
        @Override
        protected OutageFixture newFixture() {
            return new TcpFixture();
        }
    }
}
