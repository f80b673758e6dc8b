package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A contract that nothing can break proves nothing: each broken backend has to fail the test that is meant for its fault. */
class LockBackendContractCanFailTest {

    @Test
    void acceptsASoundBackend() {
        assertThat(ContractRun.failuresOf(Mutants.Sound.class)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "SpendsATokenOnRefusal, areNotSpentOnRefusedAttempts",
        "ReusesTokens, riseFromGrantToGrantAsNumbersAndAsTexts",
        "ReusesTokens, grantsAnExpiredLockWithAGreaterToken",
        "MintsBlocksAheadOfTheClock, areNotRepeatedThoughTheCounterOfABlockIsLost",
        "ReleasesWhateverIsThere, neverFreesAStrangersLock",
        "ReleasesWhateverIsThere, answersFalseToAStranger",
        "RevivesOnExtend, revivesNoExpiredLease",
        "RevivesOnExtend, revivesNoReleasedLease",
        "AddsToTheEndOnExtend, countsFromNowAndNotFromTheOldEnd",
        "ShortensOnExtend, neverMovesTheEndBack",
        "ShortensOnExtend, doesNothingWhenAnOlderAndShorterOneArrivesAfterANewerOne",
        "ReleaseGivesWayToAnExtension, letsAReleaseThatRacesExtensionsEndTheLease",
        "KeepsNoRest, endsAShortLeaseLater",
        "KeepsNoRest, isNotShortenedByALateExtension",
        "RestsLikeAnExtension, endsALongLeaseSooner",
        "KeepsWhateverIsThere, leavesTheNextHoldersLeaseAsItIs",
        "GrantsAgainToARepeatedRequest, getsTheSameGrantAgain",
        "GrantsAgainToARepeatedRequest, grantsOnceToOneLockIdThatAsksFromEverywhere",
        "RefusesARepeatedRequest, getsTheGrantWhoseReplyWasLost",
        "ProlongsOnRepeatedRequest, doesNotProlongTheLease",
        "LooksBeforeItTakes, neverLetsTwoInAtOnce",
        "FoldsCase, areAllDifferentLocks",
        "RoundsTheTtlDown, neverRoundsTheTtlDown",
        "SwallowsInterrupts, outlivesAThreadThatComesInterrupted",
        "ShowsExpiredLeases, findsNoExpiredLease",
    })
    void catches(String mutant, String test) {
        Class<?> broken = Stream.of(Mutants.class, EndMutants.class)
                .flatMap(mutants -> Stream.of(mutants.getDeclaredClasses()))
                .filter(found -> found.getSimpleName().equals(mutant))
                .findFirst()
                .orElseThrow();

        assertThat(ContractRun.failuresOf(broken)).contains(test);
    }
}
