package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.Backends;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "redis://localhost redis://localhost:6379",
                "redis://localhost:7000/3 redis://localhost:7000/3",
                "REDISS://:secret@h:1 rediss://h:1",
                "redis://user:se%40cret@[::1]:7 redis://[::1]:7",
                "redis-sentinel://a,b:7,c/2#main redis-sentinel://a:26379,b:7,c:26379/2#main",
                "redis-cluster://a:1,b:2 redis-cluster://a:1,b:2",
                "rediss-cluster://:x@a redis-cluster://a:6379",
            })
    void isReadAndShownWithoutThePassword(String uri, String shown) {
        RedisAddress address = RedisAddress.parse(uri, "");

        assertThat(address.toString().replace("rediss-cluster", "redis-cluster"))
                .isEqualTo(shown);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "redis://h?layout=syncguard syncguard",
                "redis://:p?w@h/3?layout=syncguard&prefix= ''",
                "redis://h:1/?prefix=a%3A%7Bb%7D+::&layout=syncguard a:{b}+",
                "redis-sentinel://a,b?layout=syncguard&prefix={sg}#main {sg}",
                "redis-cluster://a,b?layout=syncguard&prefix={sg} {sg}",
            })
    void saysWhereLocksAreSharedWithSyncGuard(String uri, String prefix) {
        assertThat(RedisAddress.parse(uri, "").layout()).contains(KeyLayout.syncGuard(prefix));
    }

    @Test
    void saysNothingOfTheLayoutUnlessAsked() {
        assertThat(RedisAddress.parse("redis://h", "").layout()).isEmpty();
        assertThat(RedisAddress.parse("redis://h?layout=fenceline", "").layout())
                .contains(KeyLayout.fenceline());
        assertThat(RedisAddress.parse("redis-sentinel://a?layout=syncguard#main", "")
                        .master())
                .isEqualTo("main");
    }

    @Test
    void decodesUserAndPassword() {
        RedisAddress address = RedisAddress.parse("redis://al%3Aice:p%40+ss@h", "other");

        assertThat(address.user()).isEqualTo("al:ice");
        assertThat(address.password()).isEqualTo("p@+ss");
    }

    @Test
    void takesThePasswordOfTheEnvironmentIfItHasNone() {
        assertThat(RedisAddress.parse("redis://h", "env").password()).isEqualTo("env");
        assertThat(RedisAddress.parse("redis://alice@h", "env").user()).isEqualTo("alice");
        assertThat(RedisAddress.parse("redis://:own@h", "env").password()).isEqualTo("own");
    }

    @Test
    void everySentinelGetsThePasswordOfSentinels() {
        RedisURI address = RedisAddress.parse("redis-sentinel://:data@a,b?sentinelPassword=a%26b#main", "")
                .single(Duration.ofSeconds(1));

        assertThat(address.getSentinels())
                .hasSize(2)
                .allSatisfy(sentinel -> assertThat(sentinel.getCredentialsProvider()
                                .resolveCredentials()
                                .block()
                                .getPassword())
                        .isEqualTo("a&b".toCharArray()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis:",
                "redis://",
                "redis://h:0",
                "redis://h:70000",
                "redis://h/x",
                "redis://h/99999999999",
                "redis://a,b",
                "redis-sentinel://a",
                "redis://h#main",
                "redis-cluster://h/1",
                "redis://a b",
                "redis-cluster://a,,b",
                "redis://s3cret@h",
                "redis://h?",
                "redis://h?layout",
                "redis://h?layout=other",
                "redis://h?layout=fenceline&prefix=a",
                "redis://h?prefix=a",
                "redis://h?layout=syncguard&table=a",
                "redis://h?layout=syncguard&prefix",
                "redis://h?layout=syncguard&keyPrefix=app",
                "redis://h?layout=syncguard&",
                "redis://h?layout=syncguard&=a",
                "redis-sentinel://a#main?layout=syncguard",
                "redis://h?sentinelPassword=secret",
            })
    void thatIsMalformedIsToldWithTheFix(String uri) {
        assertThatThrownBy(() -> RedisAddress.parse(uri, ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not a valid Redis URI")
                .message()
                .doesNotContain("s3cret");
    }

    @Test
    void namesThePrefixOfOurOwnKeysInEachLayout() {
        RedisOptions options = RedisOptions.defaults().withKeyPrefix("other");

        assertThat(RedisAddress.parse("redis://h", "").applyTo(options)).isEqualTo(options);
        assertThat(RedisAddress.parse("redis://h?keyPrefix=app1", "")
                        .applyTo(options)
                        .keyPrefix())
                .isEqualTo("app1");
        RedisOptions shared = RedisAddress.parse("redis://h?layout=syncguard&prefix=sg&keyPrefix=app1", "")
                .applyTo(RedisOptions.defaults());
        assertThat(shared.keyPrefix()).isEqualTo("app1");
        assertThat(shared.layout()).isEqualTo(KeyLayout.syncGuard("sg"));
        RedisAddress odd = RedisAddress.parse("redis://h?keyPrefix=a%20b", "");
        assertThatThrownBy(() -> odd.applyTo(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'a b'");
    }

    @Test
    void withABrokenPasswordDoesNotShowIt() {
        assertThatThrownBy(() -> RedisAddress.parse("redis://:s3cret%zz@h", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasStackTraceContaining("hexadecimal")
                .message()
                .doesNotContain("s3cret");
    }

    @Test
    void carriesNoPasswordIntoTheDriversTexts() {
        RedisAddress address = RedisAddress.parse("redis-sentinel://:s3cret@a,b#main", "");

        assertThat(address.single(Duration.ofSeconds(1)).toString()).doesNotContain("s3cret");
    }

    @Test
    void isFoundByItsScheme() {
        assertThat(Backends.providers()).hasAtLeastOneElementOfType(RedisBackendProvider.class);
        assertThatThrownBy(() -> Backends.open("redis://h:0")).isInstanceOf(IllegalArgumentException.class);
    }
}
