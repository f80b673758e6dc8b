package io.fenceline.internal.syncguard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class StorageNamesTest {

    /** Vectors of SyncGuard 2.5.2: prefix, key, limit, reserve, name. */
    static Stream<Arguments> vectors() {
        return Stream.of(
                Arguments.of("syncguard", "hello", 1000, 26, "syncguard:hello"),
                Arguments.of("syncguard:", "hello", 1000, 26, "syncguard:hello"),
                Arguments.of("syncguard:::", "hello", 1000, 26, "syncguard:hello"),
                Arguments.of("syncguard", "x".repeat(964), 1000, 26, "syncguard:" + "x".repeat(964)),
                Arguments.of("syncguard", "x".repeat(965), 1000, 26, "syncguard:88JB0Qm6rgwDtHCvEQ1iWw"),
                Arguments.of("test", "x".repeat(500), 100, 0, "test:almAngpz1zHVEeEfkwDrhg"),
                Arguments.of("test", "\uD83D\uDD12".repeat(20), 50, 0, "test:AJKLrVZ9phhDxmjqXkR1Mg"),
                Arguments.of("", "x".repeat(500), 30, 0, "w4wr8wVcUWqYrF2X8w58Ng"),
                Arguments.of("test", "caf\u00e9".repeat(50), 50, 0, "test:WY2gS4ZIO1dvAB6sz5-lHQ"),
                Arguments.of("test", "cafe\u0301".repeat(50), 50, 0, "test:WY2gS4ZIO1dvAB6sz5-lHQ"));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void aKeyIsStoredWhereSyncGuardStoresIt(String prefix, String key, int limit, int reserve, String name) {
        assertThat(new StorageNames(prefix, limit, reserve).lock(key)).isEqualTo(name);
    }

    @Test
    void aPrefixMayLeaveRoomForAHashOnly() {
        String name = StorageNames.onRedis("p".repeat(951)).lock("x".repeat(100));

        assertThat(name).endsWith(":GDULfYA3TXPznG9m25TYRQ");
        assertThat(name.getBytes(StandardCharsets.UTF_8)).hasSize(974);
    }

    @Test
    void aLongerPrefixLeavesRoomForShortKeysOnly() {
        StorageNames names = StorageNames.onRedis("p".repeat(952));

        assertThat(names.lock("x")).endsWith("p:x");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> names.lock("x".repeat(100)))
                .withMessageContaining("take a shorter prefix");
    }

    @Test
    void aPrefixThatLeavesNoRoomIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StorageNames.onRedis("p".repeat(974)))
                .withMessageContaining("take a shorter prefix");
    }

    @Test
    void aCounterIsNamedAfterTheLocksName() {
        assertThat(StorageNames.onRedis("p".repeat(228)).fence("k".repeat(512)))
                .isEqualTo("p".repeat(228) + ":8cJzKUB6AAALZMrfafjfEw");
        assertThat(StorageNames.onRedis("syncguard").fence("hello")).isEqualTo("syncguard:fence:syncguard:hello");
        assertThat(StorageNames.onRedis("").fence("hello")).isEqualTo("fence:hello");
        assertThat(StorageNames.onPostgres().fence("hello")).isEqualTo("fence:hello");
    }

    @Test
    void anIndexIsNamedAfterTheLockId() {
        assertThat(StorageNames.onRedis("syncguard").index("AAAAAAAAAAAAAAAAAAAAAA"))
                .isEqualTo("syncguard:id:AAAAAAAAAAAAAAAAAAAAAA");
    }

    @ParameterizedTest
    @ValueSource(strings = {"k", "ﬀ", "日"})
    void keysOfTheGreatestLengthAreStoredAsTheyAreWithoutAPrefix(String unit) {
        String key = unit.repeat(512 / unit.getBytes(StandardCharsets.UTF_8).length);

        assertThat(StorageNames.onPostgres().lock(key)).isEqualTo(key);
        assertThat(StorageNames.onFirestore().fence(key)).isEqualTo("fence:" + key);
    }

    @Test
    void anEmptyKeyIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StorageNames.onPostgres().lock(""));
    }
}
