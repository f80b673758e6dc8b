package io.fenceline.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What operators see of fences in Redis and do to them, through the ability of the lock backend. */
class RedisFenceCatalogTest {

    private static final LockKey LOCK = LockKey.of("lock a");
    private static final Holder OPERATOR = Holder.of("an operator");
    private static final RedisOptions OPTIONS = RedisOptions.defaults().withCommandTimeout(Duration.ofSeconds(10));

    private static RedisServer server;

    private RedisLockBackend backend;
    private RedisFences fences;
    private FenceCatalog catalog;

    @BeforeAll
    static void start() {
        server = RedisServer.start(RedisSettings.inMemory());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        server.flush();
        backend = RedisLockBackend.open(server.uri(), OPTIONS);
        fences = RedisFences.open(server.uri(), OPTIONS);
        catalog = backend.ability(FenceCatalog.class).orElseThrow();
    }

    @AfterEach
    void close() {
        fences.close();
        backend.close();
    }

    @Test
    void listsFencesInTheOrderOfTheirNames() {
        Stream.of("b", "{a}", "a}", "A", "\u00e9", "a").forEach(this::write);
        fences.guard(FenceRule.AT_LEAST).claim("claimed", stamp(40));
        write(LockKey.of("other").value());

        assertThat(catalog.list("", 100).keySet())
                .containsExactly("A", "a", "a}", "b", "claimed", "other", "{a}", "\u00e9");
        assertThat(catalog.list("", 3).keySet()).containsExactly("A", "a", "a}");
        assertThat(catalog.list("claimed", 1).get("claimed")).isEqualTo(new Fence(LOCK, FencingToken.of(40), 0));
        assertThat(catalog.list("b", 1).get("b")).isEqualTo(new Fence(LOCK, FencingToken.of(34), 34));
    }

    @Test
    void goesByAPrefixInWhichNothingIsAWildcard() {
        Stream.of("a*b", "a?b", "a[x]b", "axb", "a\\b", "a%b", "a{x}b", "a}b").forEach(this::write);

        Stream.of("a*b", "a?b", "a[x]b", "axb", "a\\b", "a%b", "a{x}b", "a}b")
                .forEach(name -> assertThat(catalog.list(name, 10).keySet()).containsExactly(name));
        assertThat(catalog.list("a", 100)).hasSize(8);
        assertThat(catalog.list("x", 100)).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> catalog.list("", 0));
    }

    @Test
    @Tag("R1")
    void raisesAFenceAndLowersNone() {
        write("a");

        assertThat(catalog.raise("a", stamp(50), OPERATOR)).isEqualTo(new Fence(LOCK, FencingToken.of(50), 34));
        assertThat(catalog.raise("a", stamp(49), OPERATOR)).isEqualTo(new Fence(LOCK, FencingToken.of(50), 34));

        assertThatThrownBy(() -> catalog.guard().claim("a", stamp(49))).isInstanceOf(StaleTokenException.class);
        catalog.guard().claim("a", stamp(50));
        assertThat(audit("a")).hasSize(1);
        assertThat(audit("a").get(0)).matches("[0-9]{13} raise 34 50 an operator");
    }

    @Test
    void raisesWhatWasNeverFenced() {
        assertThat(catalog.raise("new", stamp(50), OPERATOR)).isEqualTo(Fence.claimed(stamp(50)));

        assertThatThrownBy(() -> write("new")).isInstanceOf(StaleTokenException.class);
        assertThat(audit("new").get(0)).endsWith(" raise 0 50 an operator");
    }

    @Test
    @Tag("R7")
    void raisesNothingOfAnotherLock() {
        write("a");

        assertThatThrownBy(
                        () -> catalog.raise("a", new FenceStamp(LockKey.of("lock b"), FencingToken.of(99)), OPERATOR))
                .isInstanceOf(ForeignTokenException.class);

        assertThat(catalog.list("a", 1).get("a").highest()).isEqualTo(FencingToken.of(34));
        assertThat(audit("a")).isEmpty();
    }

    @Test
    @Tag("R7")
    void givesAResourceToAnotherLock() {
        write("a");
        LockKey other = LockKey.of("lock b");

        assertThat(catalog.rebind("a", other, LOCK, OPERATOR)).isFalse();
        assertThat(catalog.rebind("a", LOCK, other, OPERATOR)).isTrue();

        assertThatThrownBy(() -> write("a")).isInstanceOf(ForeignTokenException.class);
        fences.guard(FenceRule.ONCE).set("a", "of the new lock", new FenceStamp(other, FencingToken.of(1)));
        assertThat(audit("a")).hasSize(1);
        assertThat(audit("a").get(0)).endsWith(" rebind lock+a lock+b an operator");
        assertThatIllegalArgumentException().isThrownBy(() -> catalog.rebind("a", other, other, OPERATOR));
        assertThat(catalog.rebind("unknown", LOCK, other, OPERATOR)).isFalse();
    }

    @Test
    void isNotMistakenForALock() {
        write("a");
        fences.clock().next("books");

        assertThat(backend.ability(io.fenceline.spi.LockCatalog.class)
                        .orElseThrow()
                        .list("", 10))
                .isEmpty();
    }

    private void write(String resource) {
        fences.guard(FenceRule.AT_LEAST).set(resource, "value", stamp(34));
    }

    private static List<String> audit(String resource) {
        return ((List<?>) server.call("LRANGE", "fenceline:fence-audit:{" + resource + "}", "0", "-1"))
                .stream().map(String::valueOf).toList();
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LOCK, FencingToken.of(token));
    }
}
