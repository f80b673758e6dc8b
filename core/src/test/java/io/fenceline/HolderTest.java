package io.fenceline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HolderTest {

    @ParameterizedTest
    @ValueSource(strings = {"a", "host:4711", "two words", "\u9501", "\ud83d\udd12"})
    void isAnyTextForPeople(String text) {
        assertThat(Holder.of(text)).hasToString(text);
    }

    @Test
    void hasUpTo255Characters() {
        assertThat(Holder.of("x".repeat(255)).text()).hasSize(255);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Holder.of("x".repeat(256)))
                .withMessageContaining("256");
        assertThatIllegalArgumentException().isThrownBy(() -> Holder.of(""));
    }

    /** Holders are printed on terminals and in logs. */
    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "\0", "\u001b[31m", "\u007f", "\u0085", "a\ud83d", "\udd12", "\ud83d\ud83d\udd12"})
    void hasNoControlCharactersOrLoneSurrogates(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Holder.of(text));
    }

    @Test
    void namesThisProcess() {
        assertThat(Holder.ofThisProcess().text())
                .endsWith(":" + ProcessHandle.current().pid());
        assertThat(LockOptions.defaults().holder()).isEqualTo(Holder.ofThisProcess());
    }
}
