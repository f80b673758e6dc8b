package io.fenceline.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {

    @ParameterizedTest
    @CsvSource({
        "30s, PT30S",
        "1500ms, PT1.5S",
        "2m, PT2M",
        "1.5h, PT1H30M",
        "7d, PT168H",
        "0s, PT0S",
        ".5s, PT0.5S",
        "10, PT10S",
        "0.25, PT0.25S",
        "0, PT0S",
        "PT30S, PT30S",
        "pt1m, PT1M"
    })
    void isReadInEveryForm(String text, Duration duration) {
        assertThat(DurationText.parse(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "1 s", "-1s", "-1", "1e3", "PT-1S", "1S", "1e3s", "1..2s", "٣s"})
    void ofAnyOtherFormIsNamed(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurationText.parse(text))
                .withMessageStartingWith("'" + text + "'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"99999999999", "9999999999999999999999s", "9999999999999d", "PT10000000H"})
    void thatIsTooLongIsCalledThat(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DurationText.parse(text))
                .withMessage("'" + text + "' is too long; a duration has at most 106751 days");
    }

    @ParameterizedTest
    @CsvSource({"PT0S, 0ms", "PT0.85S, 850ms", "PT12.34S, 12.3s", "PT3M5S, 3m 5s", "PT1H2M3S, 1h 2m", "PT52H, 2d 4h"})
    void isWrittenInTwoUnitsAtMost(Duration duration, String text) {
        assertThat(DurationText.of(duration)).isEqualTo(text);
    }
}
