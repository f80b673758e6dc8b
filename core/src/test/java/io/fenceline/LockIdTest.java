package io.fenceline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockIdTest {

    @Test
    void isWrittenAs22CharactersOfBase64Url() {
        assertThat(LockId.random().text()).matches("[A-Za-z0-9_-]{22}");
        assertThat(new LockId(0, 0).text()).isEqualTo("AAAAAAAAAAAAAAAAAAAAAA");
        assertThat(new LockId(-1, -1).text()).isEqualTo("_____________________w");
        assertThat(new LockId(-1, -1)).hasToString("_____________________w");
    }

    @Test
    void isReadAsItIsWritten() {
        for (int i = 0; i < 1000; i++) {
            LockId id = LockId.random();
            assertThat(LockId.parse(id.text())).isEqualTo(id);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "AAAAAAAAAAAAAAAAAAAAA",
                "AAAAAAAAAAAAAAAAAAAAAAA",
                "AAAAAAAAAAAAAAAAAAAAA=",
                "AAAAAAAAAAAAAAAAAAAA==",
                "AAAAAAAAAAAAAAAAAAAA+A",
                "AAAAAAAAAAAAAAAAAAAA/A",
                "AAAAAAAAAAAAAAAAAAAA A",
                "AAAAAAAAAAAAAAAAAAAA\u00e9A",
                // the last character holds 2 bits of the id and 4 that must be zero
                "AAAAAAAAAAAAAAAAAAAAAB",
                "AAAAAAAAAAAAAAAAAAAAA_"
            })
    void isReadFromNothingElse(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockId.parse(text))
                .withMessageContaining("'" + text + "'");
    }

    @Test
    void isNeverMadeTwice() throws Exception {
        Set<LockId> made = ConcurrentHashMap.newKeySet();

        List<FutureTask<Boolean>> makers = Stream.generate(() ->
                        new FutureTask<>(() -> IntStream.range(0, 50_000).allMatch(i -> made.add(LockId.random()))))
                .limit(4)
                .toList();
        makers.forEach(maker -> new Thread(maker).start());

        for (FutureTask<Boolean> maker : makers) {
            assertThat(maker.get()).as("all ids were new").isTrue();
        }
    }

    /** A generator that repeats its bits, or leaves some of them alone, would show. */
    @Test
    void usesAllItsBits() {
        long ones = 0;
        long zeros = 0;
        Set<Long> halves = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            LockId id = LockId.random();
            ones |= id.high() & id.low();
            zeros |= ~id.high() & ~id.low();
            halves.add(id.high());
            halves.add(id.low());
        }

        assertThat(ones).isEqualTo(-1);
        assertThat(zeros).isEqualTo(-1);
        assertThat(halves).hasSize(2000);
    }
}
