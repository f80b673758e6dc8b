package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.output.ExitCode;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code guard} tells of fences and does to them. */
class GuardCommandTest extends CommandTest {

    private CommandRun claim(String resource, String key, long token) {
        return store.run("guard", "claim", "--key", key, "--token", String.valueOf(token), resource);
    }

    @Test
    void claimsAndShowsAFence() {
        assertThat(store.run("guard", "show", "orders/42").exitCode()).isEqualTo(ExitCode.NO);

        CommandRun claimed = claim("orders/42", "order:42", 34);

        assertThat(claimed.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(claimed.out())
                .containsPattern("resource +orders/42")
                .containsPattern("lock key +order:42")
                .containsPattern("highest token +000000000000034")
                .containsPattern("last written +never");
        assertThat(store.run("guard", "show", "--json", "orders/42").out().strip())
                .isEqualTo("{\"resource\":\"orders/42\",\"key\":\"order:42\",\"highest\":\"000000000000034\","
                        + "\"written\":null}");
        assertThat(store.run("guard", "show", "orders/4").exitCode()).isEqualTo(ExitCode.NO);
    }

    @Test
    void refusesAStaleOrForeignClaimWithACodeOfItsOwn() {
        claim("orders/42", "order:42", 34);

        CommandRun stale = claim("orders/42", "order:42", 33);
        CommandRun foreign = claim("orders/42", "other", 99);

        assertThat(stale.exitCode()).isEqualTo(ExitCode.TOKEN_REFUSED);
        assertThat(stale.err()).hasLineCount(1).contains("000000000000033").contains("000000000000034");
        assertThat(foreign.exitCode()).isEqualTo(ExitCode.TOKEN_REFUSED);
        assertThat(foreign.err()).hasLineCount(1).contains("belongs to lock 'order:42'");
    }

    @Test
    void listsByPrefixAndLimit() {
        assertThat(store.run("guard", "ls").out()).startsWith("no resource has a fence");
        claim("orders/1", "a", 1);
        claim("orders/2", "a", 2);
        claim("users/1", "b", 3);

        assertThat(store.run("guard", "ls").out().lines()).hasSize(4);
        assertThat(store.run("guard", "ls", "users/").out()).contains("users/1").doesNotContain("orders");
        CommandRun limited = store.run("guard", "ls", "--limit", "1", "orders/");
        assertThat(limited.out()).contains("orders/1").doesNotContain("orders/2");
        assertThat(limited.err()).contains("more than 1");
        assertThat(store.run("guard", "ls", "--json", "users/").out())
                .startsWith("[{\"resource\":\"users/1\",\"key\":\"b\"");
    }

    @Test
    void raisesAndNeverLowers() {
        assertThat(store.run("guard", "bump", "--at-least", "5", "orders/42").err())
                .contains("no fence yet")
                .contains("--key KEY");
        assertThat(store.run("guard", "bump", "--at-least", "77", "--key", "a", "orders/42")
                        .exitCode())
                .isEqualTo(ExitCode.OK);

        assertThat(store.run("guard", "bump", "--at-least", "5", "orders/42").out())
                .contains("000000000000077");

        assertThat(claim("orders/42", "a", 76).exitCode()).isEqualTo(ExitCode.TOKEN_REFUSED);
        assertThat(claim("orders/42", "a", 77).exitCode()).isEqualTo(ExitCode.OK);
        assertThat(store.run("guard", "bump", "--at-least", "99", "--key", "b", "orders/42")
                        .exitCode())
                .isEqualTo(ExitCode.TOKEN_REFUSED);
    }

    @Test
    void givesAResourceToAnotherLock() {
        claim("orders/42", "a", 34);

        CommandRun rebound = store.run("guard", "rebind", "--json", "--from", "a", "--to", "b", "orders/42");

        assertThat(rebound.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(rebound.out()).startsWith("{\"rebound\":true,\"resource\":\"orders/42\",\"key\":\"b\"");
        assertThat(claim("orders/42", "a", 35).exitCode()).isEqualTo(ExitCode.TOKEN_REFUSED);
        assertThat(claim("orders/42", "b", 1).exitCode()).isEqualTo(ExitCode.OK);
        assertThat(store.run("guard", "rebind", "--from", "a", "--to", "c", "orders/42")
                        .exitCode())
                .isEqualTo(ExitCode.NO);
    }

    /** The command does not know an application's tables. */
    @Test
    void saysThatColumnsKeepTheFenceOfTheOldLock() {
        claim("orders/42", "a", 34);

        assertThat(store.run("guard", "rebind", "--from", "a", "--to", "b", "orders/42")
                        .out())
                .contains("set fence columns of its rows to NULL");
        assertThat(store.run("guard", "rebind", "--help").out()).contains("@FenceColumn");
    }

    @Test
    void claimsBeforeACommandStartsOrDoesNotStartIt() {
        store.hold("k", "alice"); // token 1
        store.run("release", "--force", "k"); // token 2
        Path mark = folder.resolve("mark");
        claim("orders/2", "k", 900);

        CommandRun refused =
                store.run("exec", "--claim", "orders/1", "--claim", "orders/2", "k", "--", "touch", mark.toString());

        assertThat(refused.exitCode()).isEqualTo(ExitCode.TOKEN_REFUSED);
        assertThat(refused.err()).hasLineCount(1).contains("orders/2").contains("000000000000900");
        assertThat(mark).doesNotExist();
        assertThat(store.isLocked("k")).isFalse();
        assertThat(claim("orders/1", "k", 2).exitCode()).isEqualTo(ExitCode.TOKEN_REFUSED);

        assertThat(store.run("exec", "--claim", "orders/1", "k", "--", "touch", mark.toString()))
                .isEqualTo(new CommandRun(0, "", ""));
        assertThat(mark).exists();
        assertThat(claim("orders/1", "k", 3).exitCode()).isEqualTo(ExitCode.TOKEN_REFUSED);
    }

    @Test
    void claimsForAHolder() {
        assertThat(store.run("hold", "--for", "0", "--claim", "orders/1", "k").exitCode())
                .isEqualTo(ExitCode.OK);
        assertThat(store.run("guard", "show", "orders/1").out()).contains("000000000000001");
        assertThat(store.isLocked("k")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "Missing required options: '--key=KEY', '--token=N' | guard claim orders/42",
                "'x' is not a fencing token                         | guard claim --key k --token x orders/42",
                "'0x' is not a fencing token                        | guard bump --key k --at-least 0x orders/42",
                "--limit 0 is out of range                           | guard ls --limit 0",
                "Missing required parameter: 'RESOURCE'             | guard show",
            })
    void namesWhatIsWrong(String complaint, String line) {
        CommandRun refused = store.run(line.split(" +"));

        assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.err()).contains(complaint);
    }
}
