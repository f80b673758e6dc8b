package io.fenceline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeyTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"a", " ", "\n", "invoice:42", "a/b", "\u0001", "\u007f", "\u0080", "\u9501", "\ud83d\udd12"})
    void takesAnyText(String text) {
        assertThat(LockKey.of(text).value()).isEqualTo(text);
        assertThat(LockKey.of(text)).hasToString(text);
    }

    @Test
    void makesOneKeyOfAllFormsOfAText() {
        assertThat(LockKey.of("cafe\u0301"))
                .isEqualTo(LockKey.of("caf\u00e9"))
                .hasSameHashCodeAs(LockKey.of("caf\u00e9"));
        assertThat(LockKey.of("cafe\u0301").value()).isEqualTo("caf\u00e9");
    }

    @Test
    void trimsAndFoldsNothing() {
        assertThat(LockKey.of("a")).isNotEqualTo(LockKey.of(" a")).isNotEqualTo(LockKey.of("A"));
        assertThat(LockKey.of("\ufb01")).isNotEqualTo(LockKey.of("fi"));
    }

    @Test
    void countsTheBytesOfUtf8AfterNormalisation() {
        assertThat(LockKey.of("x".repeat(512)).value()).hasSize(512);
        assertThat(LockKey.of("e\u0301".repeat(256)).value()).hasSize(256);
        assertThat(LockKey.of("\ud83d\udd12".repeat(128)).value()).hasSize(256);

        assertTooLong("x".repeat(513), 513);
        assertTooLong("e\u0301".repeat(257), 514);
        assertTooLong("\ud83d\udd12".repeat(129), 516);
        // U+0958 has 3 bytes and is two characters of 3 bytes each in NFC
        assertTooLong("\u0958".repeat(100), 600);
    }

    private static void assertTooLong(String text, int bytes) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockKey.of(text))
                .withMessageContaining(bytes + " bytes")
                .withMessageContaining("512");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "\udd12", "a\ud83db", "\udd12\ud83d", "\ud83d\ud83d\udd12", "\ud83d\udd12\udd12"})
    void refusesLoneSurrogates(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> LockKey.of(text)).withMessageContaining("surrogate");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\0", "a\0", "\u00e9\0b"})
    void refusesNul(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockKey.of(text))
                .withMessageContaining("NUL character at index " + text.indexOf(0));
    }

    /**
     * U+1AC5 is of Unicode 14 and a mark that sorts behind U+0323, U+1611E of Unicode 16 and makes another letter with itself: a Java that
     * does not know them leaves such text as it is.
     */
    @ParameterizedTest
    @CsvSource({"a\u1ac5\u0323, \u1ea1\u1ac5, 19, U+1AC5", "\ud818\udd1e\ud818\udd1e, \ud818\udd21, 24, U+1611E"})
    @Tag("G9")
    void isOneKeyOnAllVersionsOfUnicodeOrNone(String text, String composed, int sinceJava, String codePoint) {
        if (Runtime.version().feature() >= sinceJava) {
            assertThat(LockKey.of(text)).isEqualTo(LockKey.of(composed)).hasToString(composed);
        } else {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LockKey.of(text))
                    .withMessageContaining(codePoint)
                    .withMessageContaining("not assigned")
                    .withMessageContaining("newer Java");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ResourceName.of(text))
                    .withMessageContaining("resource name has the code point " + codePoint);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0x378, 0x2FE0, 0xE0080, 0x10FFF, 0x3FFFD})
    @Tag("G9")
    void refusesCodePointsThatNoUnicodeHasAssignedYet(int codePoint) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockKey.of("a" + Character.toString(codePoint)))
                .withMessageContaining(String.format("U+%04X at index 1", codePoint));
    }

    /** Those for private use and the noncharacters are what they are for ever. */
    @ParameterizedTest
    @ValueSource(ints = {0xE000, 0xF8FF, 0xFFFF, 0xFFFE, 0xFDD0, 0xFDEF, 0x1FFFF, 0x10FFFD, 0x10FFFF})
    void takesCodePointsThatWillNeverMeanMore(int codePoint) {
        assertThat(LockKey.of(Character.toString(codePoint))).hasToString(Character.toString(codePoint));
    }

    @Test
    void looksForPrefixesInTheirComposedForm() {
        assertThat(LockKey.prefix("cafe\u0301")).isEqualTo("caf\u00e9");
        assertThat(LockKey.prefix("")).isEmpty();
    }

    @Test
    void refusesNothingness() {
        assertThatIllegalArgumentException().isThrownBy(() -> LockKey.of("")).withMessageContaining("empty");
        assertThatNullPointerException().isThrownBy(() -> LockKey.of(null));
    }
}
