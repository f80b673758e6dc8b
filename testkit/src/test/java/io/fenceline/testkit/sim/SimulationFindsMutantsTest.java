package io.fenceline.testkit.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A simulation that finds nothing proves nothing unless it finds what is known to be broken. */
class SimulationFindsMutantsTest {

    @ParameterizedTest(name = "{0} breaks {2}")
    @MethodSource
    void mutants(String name, Setup mutant, String promise) {
        boolean found = LongStream.range(0, Seeds.ALL)
                .mapToObj(seed -> Simulation.of(seed).with(mutant).run().violation())
                .flatMap(Optional::stream)
                .anyMatch(violation -> violation.promise().equals(promise));

        assertThat(found).isTrue();
    }

    static Stream<Arguments> mutants() {
        return Stream.of(
                arguments("grantsEarly", BackendMutants.grantsEarly(), "G1"),
                arguments("endsLeasesByTheWallClock", BackendMutants.endsLeasesByTheWallClock(), "G1"),
                arguments("reusesTokens", BackendMutants.reusesTokens(), "G2"),
                arguments("grantsAgainToARepeatedRequest", BackendMutants.grantsAgainToARepeatedRequest(), "G7"),
                arguments("revivesOnExtend", BackendMutants.revivesOnExtend(), "G6"),
                arguments("shortensOnExtend", BackendMutants.shortensOnExtend(), "G6"),
                arguments("releasesWhateverIsThere", BackendMutants.releasesWhateverIsThere(), "G6"),
                arguments("keepsNoRest", BackendMutants.keepsNoRest(), "G6"),
                arguments("releasesBeforeTheMinimumHold", ClientMutants.releasesBeforeTheMinimumHold(), "L10"),
                arguments("forgetsToRelease", BackendMutants.forgetsToRelease(), "progress"),
                arguments("keepsNoSafetyMargin", ClientMutants.keepsNoSafetyMargin(), "L1"),
                arguments("countsFromTheReply", ClientMutants.countsFromTheReply(), "L1"),
                arguments("doesNotLookAtTheWallClock", ClientMutants.doesNotLookAtTheWallClock(), "L1"),
                arguments("takesALostReplyForARefusal", ClientMutants.takesALostReplyForARefusal(), "L5"),
                arguments("takesALostRenewalForDone", ClientMutants.takesALostRenewalForDone(), "L1"),
                arguments("watchesNothing", ClientMutants.watchesNothing(), "L2"),
                arguments("doesNotCheckTokens", ClientMutants.doesNotCheckTokens(), "R1"));
    }
}
