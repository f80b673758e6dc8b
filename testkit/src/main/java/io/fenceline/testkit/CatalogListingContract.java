package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.Grant;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.spi.LockCatalog;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of {@link LockCatalog#list}. */
abstract class CatalogListingContract extends ContractVocabulary {

    private LockCatalog catalog;

    @BeforeEach
    final void findCatalog() {
        catalog = backend.ability(LockCatalog.class).orElseThrow();
    }

    @Test
    void isEmptyOnAnEmptyStore() {
        assertThat(catalog.list("", 10)).isEmpty();
    }

    @Test
    void showsRunningLeasesInTheOrderOfTheCodePointsOfTheirKeys() {
        List<String> sorted = List.of("A", "B", "a", "a ", "a:", "aa", "\u00e9", "\uff5e", "\ud83d\ude00");
        Stream.of("\uff5e", "aa", "B", "a ", "\ud83d\ude00", "A", "a", "\u00e9", "a:")
                .forEach(key -> take(LockKey.of(key)));

        assertThat(catalog.list("", 100))
                .extracting(listed -> listed.raw().key().value())
                .isEqualTo(sorted);
    }

    @Test
    void showsNoEndedLease() {
        takeAndRelease(KEY);
        takeAndLetExpire(OTHER_KEY);
        Grant grant = take(LockKey.of("running"));

        assertThat(keysOf(catalog.list("", 10))).containsExactly(grant.key());
    }

    @Test
    void describesALeaseAsLookupDoes() {
        Grant grant = take(KEY);

        LockRecord listed = catalog.list("", 10).get(0);

        assertThat(listed.raw()).isEqualTo(record(KEY).raw());
        assertThat(listed.keyHash()).isEqualTo(record(KEY).keyHash());
        assertThat(listed.token()).isEqualTo(grant.token());
    }

    @Test
    void goesByAPrefixInWhichNothingIsAWildcard() {
        Stream.of("a%b", "a_b", "axb", "a*b", "a\\b", "A_b", "a?b", "a[x]b").forEach(key -> take(LockKey.of(key)));

        Stream.of("a%b", "a_b", "axb", "a*b", "a\\b", "A_b", "a?b", "a[x]b")
                .forEach(key -> assertThat(keysOf(catalog.list(key, 10))).containsExactly(LockKey.of(key)));
        assertThat(catalog.list("a", 100)).hasSize(7);
        assertThat(catalog.list("%", 100)).isEmpty();
    }

    @Test
    void stopsAtItsLimit() {
        for (int i = 10; i < 30; i++) {
            take(LockKey.of("key " + i));
        }

        assertThat(keysOf(catalog.list("key", 3)))
                .containsExactly(LockKey.of("key 10"), LockKey.of("key 11"), LockKey.of("key 12"));
    }

    @Test
    @Tag("G9")
    void refusesALimitBelowOne() {
        assertThatIllegalArgumentException().isThrownBy(() -> catalog.list("", 0));
    }

    private static List<LockKey> keysOf(List<LockRecord> records) {
        return records.stream().map(listed -> listed.raw().key()).toList();
    }
}
