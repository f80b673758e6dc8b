package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.MalformedStampException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FenceHeadersTest {

    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("invoice:42"), FencingToken.of(34));

    @Test
    void areReadableForAnOrdinaryKey() {
        assertThat(FenceHeaders.of(STAMP))
                .containsExactly(
                        Map.entry("Fenceline-Lock", "invoice:42"), Map.entry("Fenceline-Token", "000000000000034"));
    }

    @Test
    void areReadableForEachLetterAndDigit() {
        String key = "abyzABYZ0189";
        FenceStamp stamp = new FenceStamp(LockKey.of(key), FencingToken.of(34));

        assertThat(FenceHeaders.of(stamp)).containsEntry("Fenceline-Lock", key);
    }

    @Test
    @Tag("R7")
    void carryEveryLockKeyAsVisibleAscii() {
        NastyKeys.all().forEach(key -> {
            FenceStamp stamp = new FenceStamp(key, FencingToken.of(FencingToken.MAX_VALUE));

            Map<String, String> headers = FenceHeaders.of(stamp);

            assertThat(headers.get(FenceHeaders.LOCK)).matches("[!-~&&[^,\"\\\\; ]]+");
            assertThat(FenceHeaders.read(headers)).as(key.value()).contains(stamp);
        });
    }

    @Test
    void areReadFromAnyKindOfMap() {
        Map<String, String> single = FenceHeaders.of(STAMP);
        Map<String, List<String>> multi = new HashMap<>();
        FenceHeaders.inject(STAMP, (name, value) -> multi.put(name, List.of(value)));

        assertThat(FenceHeaders.read(single)).contains(STAMP);
        assertThat(FenceHeaders.read(single::get)).contains(STAMP);
        assertThat(FenceHeaders.readAll(multi)).contains(STAMP);
        assertThat(FenceHeaders.readAll(name -> multi.getOrDefault(name, List.of())))
                .contains(STAMP);
    }

    @Test
    void areReadWhateverTheirCase() {
        Map<String, String> headers = Map.of("fenceline-lock", "invoice:42", "FENCELINE-TOKEN", "000000000000034");

        assertThat(FenceHeaders.read(headers)).contains(STAMP);
    }

    @Test
    void mayBeAbsentTogether() {
        assertThat(FenceHeaders.read(Map.of("Accept", "*/*"))).isEmpty();
        assertThat(FenceHeaders.read(name -> null)).isEmpty();
        assertThat(FenceHeaders.readAll(Map.of())).isEmpty();
    }

    @Test
    void mayEncodeMoreThanTheyMust() {
        assertThat(FenceHeaders.read(headers("%69nvoice%3a42", "000000000000034")))
                .contains(STAMP);
    }

    @Test
    void areRefusedIfHalfOfThemIsAbsent() {
        assertThatThrownBy(() -> FenceHeaders.read(Map.of("Fenceline-Lock", "invoice:42")))
                .isInstanceOf(MalformedStampException.class)
                .hasMessage("header Fenceline-Token is absent, but Fenceline-Lock is there; a stamp needs both");
        assertThatThrownBy(() -> FenceHeaders.read(Map.of("Fenceline-Token", "000000000000034")))
                .hasMessage("header Fenceline-Lock is absent, but Fenceline-Token is there; a stamp needs both");
    }

    @Test
    void areRefusedIfTheyComeTwice() {
        Map<String, List<String>> twice = Map.of(
                "Fenceline-Lock", List.of("invoice:42"),
                "Fenceline-Token", List.of("000000000000034", "000000000000033"));
        Map<String, String> inTwoCases = new HashMap<>(FenceHeaders.of(STAMP));
        inTwoCases.put("fenceline-token", "000000000000033");

        assertThatThrownBy(() -> FenceHeaders.readAll(twice))
                .hasMessage("header Fenceline-Token '000000000000034, 000000000000033' is there 2 times; "
                        + "a write carries one stamp");
        assertThatThrownBy(() -> FenceHeaders.read(inTwoCases)).hasMessageContaining("2 times");
        assertThatThrownBy(() -> FenceHeaders.read(headers("a, b", "000000000000034")))
                .hasMessageContaining("joined");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "34",
                "-00000000000034",
                "00000000000003x",
                "0000000000000034",
                "000000000000000",
                "999999999999999",
                "000000000000034, 000000000000034",
                "٠٠٠٠٠٠٠٠٠٠٠٠٠٣٤"
            })
    void areRefusedWithATokenThatIsNone(String token) {
        MalformedStampException refusal = catchThrowableOfType(
                MalformedStampException.class, () -> FenceHeaders.read(headers("invoice:42", token)));

        assertThat(refusal.header()).isEqualTo("Fenceline-Token");
        assertThat(refusal.value()).isEqualTo(token);
        assertThat(refusal).hasMessageContaining("Fenceline-Token").hasMessageContaining(token);
    }

    @ParameterizedTest
    @CsvSource({
        "'', is empty",
        "a b, U+0020",
        "é, U+00E9",
        "100%, hexadecimal",
        "%4, hexadecimal",
        "%zz, hexadecimal",
        "%ff, UTF-8",
        "%ed%a0%80, UTF-8",
        "%00, lock key"
    })
    void areRefusedWithAKeyThatIsNone(String key, String fault) {
        MalformedStampException refusal = catchThrowableOfType(
                MalformedStampException.class, () -> FenceHeaders.read(headers(key, "000000000000034")));

        assertThat(refusal.header()).isEqualTo("Fenceline-Lock");
        assertThat(refusal.value()).isEqualTo(key);
        assertThat(refusal).hasMessageContaining(fault);
    }

    @Test
    void areRefusedInAShortMessageOfOneLine() {
        String forged = "x".repeat(10_000) + "\n";

        assertThatThrownBy(() -> FenceHeaders.read(headers(forged, "000000000000034")))
                .message()
                .hasSizeLessThan(250)
                .doesNotContain("\n");
        assertThatThrownBy(() -> FenceHeaders.read(headers("a\nINFO all is well", "000000000000034")))
                .message()
                .doesNotContain("\n");
    }

    private static Map<String, String> headers(String lock, String token) {
        return Map.of(FenceHeaders.LOCK, lock, FenceHeaders.TOKEN, token);
    }
}
