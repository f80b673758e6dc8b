package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.FencingToken;
import io.fenceline.guard.StaleTokenException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Scripts of the caller's under a fence. */
class RedisFenceGuardScriptsTest extends GuardedRedis {

    @Test
    void scriptsThatTheServerForgotAreSentAgain() {
        guard.set(KEY, "value", stamp(34));
        server.call("SCRIPT", "FLUSH");

        guard.set(KEY, "another", stamp(34));

        assertThat(guard.get(KEY)).contains("another");
    }

    @Test
    @Tag("R3")
    void aScriptSeesItsOwnKeysAndArgumentsAndAnswersAsRedisDoes() {
        String echo = "return { KEYS[1], #KEYS, ARGV[1], #ARGV, false }";

        assertThat((List<?>) guard.run(echo, List.of(KEY), List.of("a"), stamp(34)))
                .isEqualTo(java.util.Arrays.asList(KEY, 1L, "a", 1L, null));
        assertThat(guard.run("return 7 -- a comment at the end", List.of(KEY), List.of(), stamp(34)))
                .isEqualTo(7L);
        assertThat(guard.run("return nil", List.of(KEY), List.of(), stamp(34))).isNull();
    }

    @Test
    @Tag("R3")
    void aScriptRunsOnlyIfEveryKeyAdmitsTheToken() {
        guard.claim("to", stamp(35));
        String transfer = "redis.call('SET', KEYS[1], 1) redis.call('SET', KEYS[2], 1)";

        StaleTokenException refusal = catchThrowableOfType(
                StaleTokenException.class, () -> guard.run(transfer, List.of("from", "to"), List.of(), stamp(34)));

        assertThat(refusal.resource()).isEqualTo("to");
        assertThat(refusal.highest()).isEqualTo(FencingToken.of(35));
        assertThat(guard.get("from")).isEmpty();
        assertThat(guard.highest("from")).isEmpty();
        guard.run(transfer, List.of("from", "to"), List.of(), stamp(35));
        assertThatThrownBy(() -> guard.set("from", "stale", stamp(34))).isInstanceOf(StaleTokenException.class);
        guard.run(transfer, List.of("one", "other"), List.of(), stamp(35));
        assertThatThrownBy(() -> guard.set("other", "stale", stamp(34))).isInstanceOf(StaleTokenException.class);
    }
}
