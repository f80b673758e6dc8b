package io.fenceline.internal.syncguard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DisplayHashTest {

    /** Vectors of SyncGuard 2.5.2. */
    @ParameterizedTest
    @CsvSource({
        "'', 000000000000000000000000",
        "a, 0000006100000123000002a7",
        "hello, 05e918d20b2075d6ee8fab1e",
        "resource:123, e90a28c676a29a3291e2874a",
        "caf\u00e9, 002e7a21248b3503a22cdb87",
        "cafe\u0301, 002e7a21248b3503a22cdb87",
        "\uD83D\uDD12\u9501\u9375, 659c61c9d839a7dbed0876ff",
        "AAAAAAAAAAAAAAAAAAAAAA, 761621603f31b080201c6800"
    })
    void aTextHasTheHashThatSyncGuardShows(String text, String hash) {
        assertThat(DisplayHash.of(text)).isEqualTo(hash);
    }
}
