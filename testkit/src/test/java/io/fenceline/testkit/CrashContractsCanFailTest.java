package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A store or a client that does not outlive crashes fails the test that is meant for its fault. */
class CrashContractsCanFailTest {

    @ParameterizedTest
    @CsvSource({
        "KeepsLeasesOfTheDead, areDelayedByAStoppedOneForNoLongerThanTheTtl",
        "KeepsLeasesOfTheDead, areDelayedByAKilledOneForNoLongerThanTheTtl",
        "GrantsTokensAgain, areNeverGrantedOneTokenTwiceThoughSomeAreKilledAndSomeAreStopped",
        "GivesATurnTheTokenOfAnother, haveTheirTurnsWithoutAnErrorWithRisingTokensAndNeverTwoAtOnceByTheStoresClock",
        "TakesLongerThanItsTurn, haveTheirTurnsWithoutAnErrorWithRisingTokensAndNeverTwoAtOnceByTheStoresClock",
        "LosesItsData, neitherRepeatsNorLowersATokenAndIsSeenAsAnOutageOnly",
    })
    void catches(String mutant, String test) throws ClassNotFoundException {
        Class<?> broken = Class.forName(CrashMutants.class.getName() + "$" + mutant);

        assertThat(ContractRun.failuresOf(broken, test)).contains(test);
    }
}
