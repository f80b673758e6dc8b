package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each backend that is broken in its dealings with the network fails the test that is meant for its fault. */
class NetworkFaultContractCanFailTest {

    @ParameterizedTest
    @CsvSource({
        "SaysThatNothingHappened, toAGrantIsMadeGoodByAskingAgainUnderTheSameLockId",
        "SaysThatNothingHappened, toAReleaseIsFollowedByFalse",
        "SaysThatNothingHappened, neverMakesTheBackendSayThatNothingHappenedWhenItDid",
        "CallsOutagesBugs, areToldAsAnOutageIfTheyAreRefused",
        "CallsOutagesBugs, areReplacedByTheBackendItself",
        "WaitsForEver, isWaitedForNoLongerThanTheBackendsOwnLimit",
        "IgnoresTheTimeout, isWaitedForNoLongerThanTheAttemptAllows",
        "NeverComesBack, costNeitherTokensNorRunningLeases",
        "RepeatsAcquiresUnderAnotherId, toAGrantIsMadeGoodByAskingAgainUnderTheSameLockId",
        "ForgetsGrantsWhoseReplyWasLost, toAGrantIsMadeGoodByAskingAgainUnderTheSameLockId",
        "BelievesThatReleasesSucceed, toAReleaseIsFollowedByFalse",
        "BelievesThatExtensionsSucceed, areLostInTimeWhenTheNetworkStallsAndOthersGetTheLockWithAGreaterToken",
        "AsksWhoHoldsARefusedLock, isOneForAnAcquireThatIsRefused",
        "LooksBeforeItReleases, isOneForARelease",
        "AnswersFromMemory, isOneForIsLocked",
    })
    void catches(String mutant, String test) throws ClassNotFoundException {
        Class<?> broken = Class.forName(NetworkMutants.class.getName() + "$" + mutant);

        assertThat(ContractRun.failuresOf(broken, test)).contains(test);
    }
}
