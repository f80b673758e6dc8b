package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.spi.LockCatalog;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code ls}, {@code show}, {@code release} and {@code token} tell and do. */
class CatalogCommandsTest extends CommandTest {

    private static final LockKey KEY = LockKey.of("nightly");

    @Nested
    class Ls {

        @Test
        void listsWhatIsHeldInTheOrderOfKeys() {
            store.hold("b", "bob");
            store.hold("a", "alice");
            assertThat(store.run("ls").out().lines())
                    .hasSize(3)
                    .satisfiesExactly(
                            heading -> assertThat(heading).matches("KEY +HOLDER +TOKEN +HELD SINCE +REMAINING"),
                            first -> assertThat(first).matches("a +alice +000000000000001 +\\S+Z +\\d+m \\d+s"),
                            second -> assertThat(second).startsWith("b    bob     0"));
        }

        @Test
        void keepsToThePrefixAndTheLimitAndSaysThatThereIsMore() {
            store.hold("a1", "alice");
            store.hold("a2", "alice");
            store.hold("b", "bob");
            assertThat(store.run("ls", "a").out()).contains("a1").contains("a2").doesNotContain("bob");
            CommandRun limited = store.run("ls", "--limit", "1", "a");
            assertThat(limited.out()).contains("a1").doesNotContain("a2");
            assertThat(limited.err())
                    .isEqualToIgnoringNewLines("fenceline: there are more than 1; give a PREFIX or a greater --limit");
            assertThat(store.run("ls", "--limit", "2", "a").err()).isEmpty();
        }

        @Test
        void saysThatNothingIsHeld() {
            assertThat(store.run("ls")).isEqualTo(new CommandRun(0, "no lock is held" + System.lineSeparator(), ""));
            assertThat(store.run("ls", "--json").out().strip()).isEqualTo("[]");
        }

        @Test
        void printsJsonWithoutLockIds() {
            Grant grant = store.hold("ключ", "alice \"the first\"");
            assertThat(store.run("ls", "--json").out().strip())
                    .startsWith("[{\"key\":\"\\u043A\\u043B\\u044E\\u0447\",\"holder\":\"alice \\\"the first\\\"\","
                            + "\"token\":\"000000000000001\",\"acquiredAt\":\"" + grant.acquiredAt()
                            + "\",\"expiresAt\":\"")
                    .endsWith("}]")
                    .doesNotContain(grant.lockId().text());
        }

        @Test
        void showsControlCharactersOfAKeyAsEscapes() {
            store.hold("red\u001b[31m\nkey", "mallory");
            assertThat(store.run("ls").out())
                    .contains("red\\u001b[31m\\u000akey")
                    .doesNotContain("\u001b");
        }
    }

    @Nested
    class Show {

        @Test
        void tellsAllButTheLockIdOfAHeldLock() {
            Grant grant = store.hold("nightly", "alice");
            CommandRun shown = store.run("show", "nightly");
            assertThat(shown.exitCode()).isEqualTo(ExitCode.OK);
            assertThat(shown.out()).containsPattern("state +held").containsPattern("holder +alice");
            assertThat(shown.out()).doesNotContain(grant.lockId().text());
            assertThat(store.run("show", "--lock-id", "nightly").out())
                    .contains(grant.lockId().text());
        }

        @Test
        void endsWith1ForAFreeLockAndStillTellsItsLastToken() {
            Grant grant = store.hold("nightly", "alice");
            store.backend().release(KEY, grant.lockId());
            CommandRun shown = store.run("show", "--json", "nightly");
            assertThat(shown.exitCode()).isEqualTo(ExitCode.NO);
            assertThat(shown.out().strip())
                    .isEqualTo("{\"held\":false,\"key\":\"nightly\",\"lastToken\":\"000000000000001\"}");
        }
    }

    @Test
    void aKeyThatBeginsWithAHyphenComesAfterTwoHyphens() {
        for (String key : List.of("-k", "k", "-e\u0301")) {
            assertThat(store.run("exec", "-n", "--", key, "--", "true").exitCode())
                    .isEqualTo(ExitCode.OK);
        }
        assertThat(store.run("hold", "--for", "0", "--", "-k").exitCode()).isEqualTo(ExitCode.OK);
        assertThat(store.run("elect", "--once", "--", "-k", "--", "true").exitCode())
                .isEqualTo(ExitCode.OK);
        assertThat(store.run("token", "show", "--", "-k").out()).contains("000000000000002");
        assertThat(store.run("token", "show", "election:-k").out()).contains("000000000000001");
    }

    @Nested
    class Release {

        @Test
        void byLockIdEndsThatLease() {
            Grant grant = store.hold("nightly", "alice");
            CommandRun released =
                    store.run("release", "--lock-id", grant.lockId().text());
            assertThat(released.exitCode()).isEqualTo(ExitCode.OK);
            assertThat(released.out()).containsPattern("was held by +alice");
            assertThat(store.isLocked("nightly")).isFalse();
            assertThat(store.run("release", "--lock-id", grant.lockId().text()).exitCode())
                    .isEqualTo(ExitCode.NO);
        }

        @Test
        void byLockIdOfAnotherKeyDoesNothing() {
            Grant grant = store.hold("nightly", "alice");
            assertThat(store.run("release", "--lock-id", grant.lockId().text(), "other")
                            .exitCode())
                    .isEqualTo(ExitCode.NO);
            assertThat(store.isLocked("nightly")).isTrue();
        }

        @ParameterizedTest
        @ValueSource(strings = {"-AAAAAAAAAAAAAAAAAAAAA", "--AAAAAAAAAAAAAAAAAAAA", "-hAAAAAAAAAAAAAAAAAAAA"})
        void takesALockIdThatLooksLikeAnOption(String lockId) {
            assertThat(store.run("release", "--lock-id", lockId, "nightly").exitCode())
                    .isEqualTo(ExitCode.NO);
        }

        @Test
        void byKeyAloneIsRefused() {
            store.hold("nightly", "alice");
            CommandRun refused = store.run("release", "nightly");
            assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(refused.err()).contains("--lock-id").contains("--force");
            assertThat(store.isLocked("nightly")).isTrue();
        }

        @Test
        void byForceAndLockIdAtOnceIsRefused() {
            Grant grant = store.hold("nightly", "alice");
            CommandRun refused =
                    store.run("release", "--force", "--lock-id", grant.lockId().text(), "nightly");
            assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(store.isLocked("nightly")).isTrue();
        }

        @Test
        void byAnotherLockIdSaysThatTheLockIsNotHeldUnderIt() {
            store.hold("nightly", "alice");
            CommandRun other = store.run("release", "--lock-id", LockId.random().text(), "nightly");
            assertThat(other.exitCode()).isEqualTo(ExitCode.NO);
            assertThat(other.out()).contains("no: not held under this id");
        }

        @Test
        void byForceSpendsATokenAndSaysSo() {
            store.hold("nightly", "alice");
            CommandRun released = store.run("release", "--force", "nightly");
            assertThat(released.exitCode()).isEqualTo(ExitCode.OK);
            assertThat(released.out())
                    .containsPattern("was held by +alice")
                    .containsPattern("with token +000000000000001")
                    .containsPattern("last token +000000000000002");
            assertThat(store.hold("nightly", "bob").token()).isGreaterThan(FencingToken.of(2));
            assertThat(store.run("release", "--force", "free").exitCode()).isEqualTo(ExitCode.NO);
        }
    }

    @Nested
    class Token {

        @ParameterizedTest
        @CsvSource({"77", "000000000000077"})
        void isRaisedAndNeverLowered(String atLeast) {
            assertThat(store.run("token", "show", "nightly").exitCode()).isEqualTo(ExitCode.NO);
            assertThat(store.run("token", "bump", "--at-least", atLeast, "nightly")
                            .exitCode())
                    .isEqualTo(ExitCode.OK);
            assertThat(store.run("token", "bump", "--at-least", "5", "nightly").out())
                    .contains("000000000000077");
            assertThat(store.run("token", "show", "--json", "nightly").out().strip())
                    .isEqualTo("{\"key\":\"nightly\",\"lastToken\":\"000000000000077\"}");
            assertThat(store.hold("nightly", "alice").token()).isGreaterThan(FencingToken.of(77));
        }

        @Test
        void areListedWithTheGreatestLimit() {
            release(store.hold("a", "alice"));
            assertThat(store.run("token", "ls", "--limit", "2147483647").out()).contains("a");
        }

        @Test
        void areListedForFreeLocksToo() {
            release(store.hold("a1", "alice"));
            store.hold("a2", "bob");
            release(store.hold("b", "carol"));
            release(store.hold("b", "carol"));

            assertThat(store.run("token", "ls").out().lines().map(String::strip))
                    .containsExactly(
                            "KEY  LAST TOKEN", "a1   000000000000001", "a2   000000000000001", "b    000000000000002");
            assertThat(store.run("token", "ls", "--json", "b").out().strip())
                    .isEqualTo("[{\"key\":\"b\",\"lastToken\":\"000000000000002\"}]");
            assertThat(store.run("token", "ls", "--limit", "1").err()).contains("more than 1");
            assertThat(store.run("token", "ls", "c").out()).contains("no lock was ever held");
            assertThat(store.run("ls", "--all").out().lines())
                    .satisfiesExactly(
                            heading -> assertThat(heading).startsWith("KEY  STATE  LAST TOKEN       HOLDER"),
                            first -> assertThat(first).matches("a1   free   000000000000001  - +- +-"),
                            second ->
                                    assertThat(second).matches("a2   held   000000000000001  bob +\\S+Z +\\d+m \\d+s"),
                            third -> assertThat(third).matches("b    free   000000000000002  - +- +-"));
            assertThat(store.run("ls", "--all", "--json", "a1").out().strip())
                    .isEqualTo("[{\"key\":\"a1\",\"held\":false,\"lastToken\":\"000000000000001\",\"holder\":null,"
                            + "\"acquiredAt\":null,\"expiresAt\":null,\"remainingMillis\":null}]");
        }

        @Test
        void areRaisedForAllOrByPrefixOrAfterAKey() {
            for (String key : List.of("a", "b1", "b2", "c")) {
                release(store.hold(key, "alice"));
            }
            CommandRun all = store.run("token", "bump", "--all", "--by", "100");
            assertThat(all.exitCode()).isEqualTo(ExitCode.OK);
            assertThat(all.out()).containsPattern("locks raised +4").containsPattern("last key +c");
            assertThat(tokens()).containsExactly(101L, 101L, 101L, 101L);
            store.run("token", "bump", "--all", "--prefix", "b", "--at-least", "200");
            assertThat(tokens()).containsExactly(101L, 200L, 200L, 101L);
            store.run("token", "bump", "--all", "--by", "5", "--after", "b1");
            assertThat(tokens()).containsExactly(101L, 200L, 205L, 106L);
            store.run("token", "bump", "--at-least", "150", "a", "b1", "new");
            assertThat(tokens()).containsExactly(150L, 200L, 205L, 106L, 150L);
            store.run("token", "bump", "--by", "1", "c", "c");
            assertThat(tokens()).containsExactly(150L, 200L, 205L, 107L, 150L);
        }

        @Test
        void areRaisedInPagesAndGoOnAfterAFailure() {
            for (int i = 0; i < 1001; i++) {
                store.backend()
                        .ability(LockCatalog.class)
                        .orElseThrow()
                        .raiseToken(LockKey.of(String.format("k%04d", i)), FencingToken.of(7), Holder.of("test"));
            }
            CommandRun all = store.run("token", "bump", "--all", "--by", "1");
            assertThat(all.err()).isEqualToIgnoringNewLines("fenceline: 1000 locks raised, up to 'k0999'");
            assertThat(all.out()).containsPattern("locks raised +1001");
            assertThat(tokens()).hasSize(1001).containsOnly(8L);

            store.run("token", "bump", "--at-least", "900000000000000", "k0500");
            CommandRun others = store.run("token", "bump", "--all", "--by", "1");
            assertThat(others.exitCode()).isEqualTo(ExitCode.NO);
            assertThat(others.err())
                    .contains("lock 'k0500'")
                    .contains("beyond the limit")
                    .doesNotContain("--after");
            assertThat(others.out()).containsPattern("locks raised +1000");
            assertThat(tokens().stream().filter(token -> token == 9)).hasSize(1000);
            assertThat(tokens()).contains(900_000_000_000_000L);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "token bump --at-least 3",
                    "token bump --at-least 3 --all k",
                    "token bump --at-least 3 --by 3 k",
                    "token bump --all",
                    "token bump --by 3 --prefix a k",
                    "token bump --by 0 k"
                })
        void areNotRaisedIfItIsUnclearWhatTo(String line) {
            CommandRun refused = store.run(line.split(" "));
            assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(refused.err()).hasLineCount(1);
        }

        private List<Long> tokens() {
            return store.backend().ability(LockCatalog.class).orElseThrow().tokens("", "", 10_000).stream()
                    .map(token -> token.last().value())
                    .toList();
        }

        private void release(Grant grant) {
            store.backend().release(grant.key(), grant.lockId());
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "0", "-1", "1e3", "0000000000000001", "900000000000001"})
        void ofTheWrongFormIsNamed(String atLeast) {
            CommandRun refused = store.run("token", "bump", "--at-least", atLeast, "nightly");
            assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
            assertThat(refused.err()).contains("--at-least").hasLineCount(1);
        }
    }
}
