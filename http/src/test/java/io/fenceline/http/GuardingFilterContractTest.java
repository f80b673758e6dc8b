package io.fenceline.http;

import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;

/** The filter guards; every write, claim and look is a request to a Jetty. */
class GuardingFilterContractTest extends FenceGuardContract {

    @Override
    protected GuardFixture newFixture() {
        return new HttpGuardFixture(HttpGuardFixture.Mode.FILTER);
    }
}
