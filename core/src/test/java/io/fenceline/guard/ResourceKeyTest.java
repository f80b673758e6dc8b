package io.fenceline.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ResourceKeyTest {

    @Test
    @Tag("R10")
    void equalNumbersHaveOneText() {
        assertThat(List.of(
                        42, 42L, (short) 42, BigInteger.valueOf(42), new BigDecimal("42.00"), new BigDecimal("4.2E+1")))
                .extracting(ResourceKey::text)
                .containsOnly("42");
        assertThat(ResourceKey.text(new BigDecimal("0E-10"))).isEqualTo("0");
        assertThat(ResourceKey.text(new BigDecimal("100"))).isEqualTo("100");
        assertThat(ResourceKey.text(new BigDecimal("-1.50"))).isEqualTo("-1.5");
    }

    @Test
    @Tag("R10")
    void aNumberThatWouldFillTheMemoryIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ResourceKey.text(new BigDecimal("1E+999999999")))
                .withMessageContaining("zeros");
    }

    @Test
    @Tag("R10")
    void aRowHasOneNameHoweverItsTableIsWritten() {
        assertThat(List.of(
                        "orders",
                        "Orders",
                        "public.orders",
                        "\"public\".\"Orders\"",
                        "[dbo].[orders]",
                        "`a.b`.`orders`"))
                .extracting(table -> ResourceKey.row(table, 42))
                .containsOnly("orders/42");
        assertThat(ResourceKey.row("\"a.b\"", 1)).isEqualTo("a.b/1");
        assertThat(List.of("s.\"a\"\"B\"", "\"a\"\"b\"", "[x].[a\"b]", "`a\"b`"))
                .extracting(table -> ResourceKey.row(table, 1))
                .containsOnly("a\"b/1");
        assertThat(List.of("log[2024]", "s.log[2024]", "\"Log[2024]\"", "[log[2024]]]"))
                .extracting(table -> ResourceKey.row(table, 1))
                .containsOnly("log[2024]/1");
        assertThat(ResourceKey.row("a`b", 1)).isEqualTo("a`b/1");
        assertThat(ResourceKey.row("orders", List.of("a/b", 7))).isEqualTo("orders/a%2Fb/7");
    }

    @Test
    @Tag("R10")
    void aRowWhoseNameWouldBreakTheRulesIsRefused() {
        assertThat(ResourceKey.row("orders", "x".repeat(505))).hasSize(512);
        for (String key : List.of("x".repeat(506), "\0", "\ud800")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ResourceKey.row("orders", key))
                    .withMessageContaining("resource name");
        }
    }

    @Test
    @Tag("R10")
    void bytesAreNamedByTheirContent() {
        assertThat(ResourceKey.text(new byte[] {0, (byte) 0xab, 1})).isEqualTo("0x00ab01");
    }

    @Test
    @Tag("R10")
    void textIsNormalised() {
        assertThat(ResourceKey.text("cafe\u0301")).isEqualTo("caf\u00e9");
    }

    /** The same row would have another name in a Java that knows it. */
    @Test
    @Tag("R10")
    void aTextThatANewerJavaMayComposeOtherwiseIsRefused() {
        for (String text : List.of("a\u0378", "a\u0378" + "x".repeat(600))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ResourceKey.row("orders", text))
                    .withMessageContaining("U+0378");
        }
        assertThat(ResourceKey.row("orders", "\uffff")).isEqualTo("orders/\uffff");
    }

    @Test
    @Tag("R10")
    void oneInstantHasOneTextInEveryOffset() {
        assertThat(ResourceKey.text(OffsetDateTime.parse("2026-11-22T07:00:00+02:00")))
                .isEqualTo(ResourceKey.text(Instant.parse("2026-11-22T05:00:00Z")))
                .isEqualTo("2026-11-22T05:00:00Z");
        assertThat(ResourceKey.text(ZonedDateTime.parse("2026-11-22T07:00:00+02:00[Europe/Helsinki]")))
                .isEqualTo("2026-11-22T05:00:00Z");
        assertThat(ResourceKey.text(LocalDate.of(2026, 11, 22))).isEqualTo("2026-11-22");
    }

    @Test
    @Tag("R10")
    void aTimeMayHaveMicroseconds() {
        assertThat(ResourceKey.text(Instant.parse("2026-11-22T05:00:00.000001Z")))
                .isEqualTo("2026-11-22T05:00:00.000001Z");
    }

    @Test
    @Tag("R10")
    void anEnumIsNamedByItsConstantAlsoIfItHasABodyOrAnotherText() {
        assertThat(ResourceKey.text(TimeUnit.SECONDS)).isEqualTo("SECONDS");
        assertThat(ResourceKey.text(Odd.ONE)).isEqualTo("ONE");
        assertThat(ResourceKey.isSupported(Odd.ONE.getClass())).isTrue();
    }

    @Test
    @Tag("R10")
    void theOtherTypesAreAsTheJdkSpecifiesThem() {
        assertThat(ResourceKey.text(UUID.fromString("0000000A-0000-0000-0000-000000000001")))
                .isEqualTo("0000000a-0000-0000-0000-000000000001");
        assertThat(ResourceKey.text(true)).isEqualTo("true");
    }

    @Test
    @Tag("R10")
    void everyOtherTypeIsRefused() {
        for (Object key :
                List.of(1.5, 1.5f, new Date(), new Object(), List.of(1).iterator(), new int[] {1})) {
            assertThat(ResourceKey.isSupported(key.getClass())).isFalse();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ResourceKey.text(key))
                    .withMessageContaining(key.getClass().getTypeName());
        }
    }

    @Test
    @Tag("R10")
    void aTimeThatADatabaseWouldRoundIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ResourceKey.text(Instant.ofEpochSecond(1, 1_001)))
                .withMessageContaining("microsecond");
    }

    @Test
    @Tag("R10")
    void partsAreJoinedSoThatDifferentKeysDiffer() {
        assertThat(ResourceKey.text(List.of("a/b", "c"))).isEqualTo("a%2Fb/c");
        assertThat(ResourceKey.text(List.of("a", "b/c"))).isEqualTo("a/b%2Fc");
        assertThat(ResourceKey.text(List.of("a%2Fb", 1))).isEqualTo("a%252Fb/1");
        assertThat(ResourceKey.text(List.of("a/b"))).isEqualTo("a/b");
    }

    private enum Odd {
        ONE {
            @Override
            public String toString() {
                return "odd";
            }
        }
    }
}
