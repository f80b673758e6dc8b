package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** A contract that nothing can break proves nothing: each broken backend has to fail the test that is meant for its fault. */
class LockBackendContractCanFailTest {

    @Test
    void acceptsASoundBackend() {
        assertThat(failuresOf(Mutants.Sound.class)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "SpendsATokenOnRefusal, areNotSpentOnRefusedAttempts",
        "ReusesTokens, riseFromGrantToGrantAsNumbersAndAsTexts",
        "ReusesTokens, grantsAnExpiredLockWithAGreaterToken",
        "ReleasesWhateverIsThere, neverFreesAStrangersLock",
        "ReleasesWhateverIsThere, answersFalseToAStranger",
        "RevivesOnExtend, revivesNoExpiredLease",
        "RevivesOnExtend, revivesNoReleasedLease",
        "AddsToTheEndOnExtend, countsFromNowAndNotFromTheOldEnd",
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
    void catches(String mutant, String test) throws ClassNotFoundException {
        Class<?> broken = Class.forName(Mutants.class.getName() + "$" + mutant);

        assertThat(failuresOf(broken)).contains(test);
    }

    private static Set<String> failuresOf(Class<?> contract) {
        Set<String> failures = new TreeSet<>();
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(contract))
                .build();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                    failures.add(nameOf(test));
                }
            }
        });
        return failures;
    }

    private static String nameOf(TestIdentifier test) {
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(source -> ((MethodSource) source).getMethodName())
                .orElseGet(test::getDisplayName);
    }
}
