package io.fenceline.http;

import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;

/** The handler guards with the stamp that the filter hands on; what it throws reaches the client as the same exception. */
class GuardedHandlerContractTest extends FenceGuardContract {

    @Override
    protected GuardFixture newFixture() {
        return new HttpGuardFixture(HttpGuardFixture.Mode.HANDLER);
    }
}
