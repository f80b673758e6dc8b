package io.fenceline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FencingTokenTest {

    @Test
    void isWrittenAsFifteenDigits() {
        assertThat(FencingToken.of(1).text()).isEqualTo("000000000000001");
        assertThat(FencingToken.of(FencingToken.MAX_VALUE).text()).isEqualTo("900000000000000");
        assertThat(FencingToken.of(42)).hasToString("000000000000042");
    }

    @Test
    void isReadAsItIsWritten() {
        for (long value : new long[] {1, 9, 10, 123_456_789, FencingToken.WARNING_VALUE, FencingToken.MAX_VALUE}) {
            assertThat(FencingToken.parse(FencingToken.of(value).text())).isEqualTo(FencingToken.of(value));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "00000000000001",
                "0000000000000001",
                "1000000000000000",
                "+00000000000001",
                "-00000000000001",
                " 00000000000001",
                "00000000000001x",
                "\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0660\u0661",
                "000000000000000",
                "900000000000001",
                "999999999999999"
            })
    void isReadFromNothingElse(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> FencingToken.parse(text));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, FencingToken.MAX_VALUE + 1, Long.MAX_VALUE})
    void isWithinItsRange(long value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencingToken.of(value))
                .withMessageContaining(Long.toString(value));
    }

    @Test
    void isOrderedAsNumberAndAsText() {
        Random random = new Random(7);
        for (int i = 0; i < 10_000; i++) {
            FencingToken a = FencingToken.of(1 + random.nextLong(1L << (1 + random.nextInt(49))));
            FencingToken b = FencingToken.of(1 + random.nextLong(1L << (1 + random.nextInt(49))));

            assertThat(Integer.signum(a.compareTo(b)))
                    .isEqualTo(Integer.signum(a.text().compareTo(b.text())));
            assertThat(a.isNewerThan(b)).isEqualTo(a.value() > b.value());
        }
    }

    @Test
    void warnsAboveATenthOfItsRange() {
        assertThat(FencingToken.of(FencingToken.WARNING_VALUE).isNearLimit()).isFalse();
        assertThat(FencingToken.of(FencingToken.WARNING_VALUE + 1).isNearLimit())
                .isTrue();
    }
}
