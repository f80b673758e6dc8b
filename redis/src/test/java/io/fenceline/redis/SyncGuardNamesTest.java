package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.internal.syncguard.StorageNames;
import io.fenceline.redis.syncguard.SyncGuardNames;
import io.fenceline.spi.TokenMode;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SyncGuardNamesTest {

    private static final String LONG_PREFIX = "p".repeat(228);

    @Test
    void areThoseOfSyncGuard() {
        SyncGuardNames names = names("syncguard:");

        assertThat(names.lock(LockKey.of("a/b"))).isEqualTo("syncguard:a/b");
        assertThat(names.index(new LockId(0, 0))).isEqualTo("syncguard:id:AAAAAAAAAAAAAAAAAAAAAA");
        assertThat(names.fence(LockKey.of("a/b"))).isEqualTo("syncguard:fence:syncguard:a/b");
        assertThat(names.audit(LockKey.of("a/b"))).isEqualTo("syncguard#audit:syncguard:a/b");
        assertThat(names("").fence(LockKey.of("a"))).isEqualTo("fence:a");
    }

    @ParameterizedTest
    @CsvSource({
        "syncguard, id:AAAAAAAAAAAAAAAAAAAAAA, by its lock id",
        "syncguard, id:-_345678901234567890zZ, by its lock id",
        "syncguard, fence:syncguard:foo, counts the tokens",
        "a:b, fence:a:b:foo, counts the tokens",
        "caf\u00e9, fence:cafe\u0301:foo, counts the tokens",
        "cafe\u0301, fence:cafe\u0301:foo, counts the tokens",
        "'', fence:foo, counts the tokens",
        "'', id:AAAAAAAAAAAAAAAAAAAAAA, by its lock id",
        "'', '#audit:foo', of its own",
        "'', 'fenceline:fence:{foo}', of its own",
    })
    void ofWhichTheKeyIsAnImitationAreRefusedWithTheReason(String prefix, String key, String reason) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> names(prefix).lock(LockKey.of(key)))
                .withMessageContaining(LockKey.of(key).value())
                .withMessageContaining(reason);
        assertThatIllegalArgumentException().isThrownBy(() -> names(prefix).fence(LockKey.of(key)));
    }

    @ParameterizedTest
    @CsvSource({
        "syncguard, fence:foo",
        "syncguard, fence:syncguard",
        "syncguard, fence",
        "syncguard, id:AAAAAAAAAAAAAAAAAAAAA",
        "syncguard, id:AAAAAAAAAAAAAAAAAAAAAAA",
        "syncguard, id:AAAAAAAAAAA+AAAAAAAAAA",
        "syncguard, 8cJzKUB6AAALZMrfafjfEw",
        "syncguard, '#audit:foo'",
        "syncguard, 'fenceline:fence:{foo}'",
        "'', fence",
        "'', fenceline",
    })
    void ofWhichTheKeyIsNoImitationAreGiven(String prefix, String key) {
        assertThatCode(() -> names(prefix).lock(LockKey.of(key))).doesNotThrowAnyException();
    }

    @Test
    void thatMayBeHashesOfOthersAreRefusedWhereThePrefixIsSoLong() {
        assertThat(names(LONG_PREFIX).fence(LockKey.of("k".repeat(512))))
                .isEqualTo(LONG_PREFIX + ":8cJzKUB6AAALZMrfafjfEw");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> names(LONG_PREFIX).lock(LockKey.of("8cJzKUB6AAALZMrfafjfEw")))
                .withMessageContaining("hash");
        assertThatCode(() -> names("p".repeat(227)).lock(LockKey.of("8cJzKUB6AAALZMrfafjfEw")))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fence", "myfence", "fence:", "a:fence:b", "\ud83d"})
    void neverStartWithWhatSyncGuardRefuses(String prefix) {
        assertThatIllegalArgumentException().isThrownBy(() -> KeyLayout.syncGuard(prefix));
    }

    @Test
    void neverStartWithWhatLeavesNoRoom() {
        assertThatIllegalArgumentException().isThrownBy(() -> KeyLayout.syncGuard("p".repeat(974)));
        assertThatIllegalArgumentException().isThrownBy(() -> KeyLayout.syncGuard("p".repeat(952)));
        assertThatCode(() -> KeyLayout.syncGuard("p".repeat(951))).doesNotThrowAnyException();
        assertThatCode(() -> KeyLayout.syncGuard("fenced")).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fenceline", "fenceline:", "fenceline:a"})
    void areNotMixedWithOurOwn(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisOptions.defaults().withLayout(KeyLayout.syncGuard(prefix)))
                .withMessageContaining("keyPrefix");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisOptions.defaults().withKeyPrefix("a:b").withLayout(KeyLayout.syncGuard("a")));
    }

    @Test
    void goWithCountedTokensThatNoReplicaAcknowledges() {
        RedisOptions shared = RedisOptions.defaults().withLayout(KeyLayout.syncGuard("a"));

        assertThat(shared.tokenMode()).isEqualTo(TokenMode.COUNTER);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shared.withTokenMode(TokenMode.CLOCK_FLOOR))
                .withMessageContaining("COUNTER");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shared.withAcknowledgement(Acknowledgement.of(1, Duration.ofMillis(50))))
                .withMessageContaining("acknowledgement");
    }

    @ParameterizedTest
    @ValueSource(strings = {"syncguard", "", "a{}b", "}a{", "{a"})
    void lieInOneSlotOfAClusterOnlyByAHashTag(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisLockBackend.open(
                        "redis-cluster://nowhere", RedisOptions.defaults().withLayout(KeyLayout.syncGuard(prefix))))
                .withMessageContaining("hash tag");
        assertThat(new KeyLayout.SyncGuard("a{b}c").hasHashTag()).isTrue();
    }

    @Test
    @Tag("G2")
    void thatWereGivenOnceAreNotTakenBackWithTheirCountedTokens() {
        RedisOptions shared = RedisOptions.defaults().withLayout(KeyLayout.syncGuard("syncguard"));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> shared.withLayout(KeyLayout.fenceline()))
                .withMessageContaining("RedisOptions.defaults()");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisLockBackend.open("redis://h?layout=fenceline", shared))
                .withMessageContaining("the URI names layout=fenceline");
        assertThat(shared.withLayout(KeyLayout.syncGuard("other")).tokenMode()).isEqualTo(TokenMode.COUNTER);
    }

    private static SyncGuardNames names(String prefix) {
        StorageNames names = StorageNames.onRedis(new KeyLayout.SyncGuard(prefix).prefix());
        return new SyncGuardNames(names, RedisOptions.defaults().keyPrefix());
    }
}
