package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What {@code leaders} tells. */
class LeadersCommandTest extends CommandTest {

    @Test
    void listsGroupsWithTheirLeadersAndNoOtherLocks() {
        store.hold("election:billing", "node 1");
        store.hold("election:archive", "node 2");
        store.hold("elections", "nobody's leader");
        assertThat(store.run("leaders").out().lines())
                .satisfiesExactly(
                        heading -> assertThat(heading).matches("GROUP +LEADER +TERM +SINCE +REMAINING"),
                        first -> assertThat(first).matches("archive +node 2 +000000000000001 +\\S+Z +\\d+m \\d+s"),
                        second -> assertThat(second).matches("billing +node 1 +000000000000001 +\\S+Z +\\d+m \\d+s"));
    }

    @Test
    void tellsProgramsTheSame() {
        store.hold("election:billing", "node 1");
        assertThat(store.run("leaders", "--json").out().strip())
                .matches("\\[\\{\"group\":\"billing\",\"leader\":\"node 1\",\"term\":\"000000000000001\","
                        + "\"electedAt\":\"[^\"]+Z\",\"expiresAt\":\"[^\"]+Z\",\"remainingMillis\":\\d+}]");
    }

    @Test
    void keepsToThePrefixAndTheLimitAndSaysThatThereIsMore() {
        store.hold("election:a1", "alice");
        store.hold("election:a2", "alice");
        store.hold("election:b", "bob");
        assertThat(store.run("leaders", "a").out())
                .contains("a1")
                .contains("a2")
                .doesNotContain("bob");
        CommandRun limited = store.run("leaders", "--limit", "1", "a");
        assertThat(limited.out()).contains("a1").doesNotContain("a2");
        assertThat(limited.err()).contains("there are more than 1");
    }

    @Test
    void saysThatThereIsNone() {
        assertThat(store.run("leaders"))
                .isEqualTo(new CommandRun(0, "no group has a leader" + System.lineSeparator(), ""));
        assertThat(store.run("leaders", "--json").out().strip()).isEqualTo("[]");
    }
}
