package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.guard.Verdict;
import io.fenceline.spi.LockBackend;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Contract of backends with a {@link FenceCatalog}: what operators do with the fences that lie beside the locks. */
@Timeout(60)
public abstract class FenceCatalogContract {

    private static final Holder ANN = Holder.of("ann");

    private LockBackend backend;
    private FenceCatalog catalog;

    /** Creates the contract; called by test engines. */
    protected FenceCatalogContract() {}

    /**
     * Opens a backend on a store that has no fences yet.
     *
     * @return a backend that the contract closes
     */
    protected abstract LockBackend open();

    /**
     * Reads the records of changes in the order in which they were made.
     *
     * @return lines such as {@code ann raise invoice:42 old-lock>lock 0>34}: actor, act, resource, lock keys and tokens before and after
     * @throws Exception if they cannot be read
     */
    protected abstract List<String> audit() throws Exception;

    /**
     * Writes a resource as a holder does, by the store's guard.
     *
     * @param resource the resource
     * @param stamp the holder's
     * @throws Exception if it is refused or fails
     */
    protected abstract void write(String resource, FenceStamp stamp) throws Exception;

    /**
     * Returns the backend under test.
     *
     * @return what {@link #open} returned before this test
     */
    protected final LockBackend backend() {
        return backend;
    }

    /**
     * Returns the catalog under test.
     *
     * @return the backend's
     */
    protected final FenceCatalog catalog() {
        return catalog;
    }

    /**
     * Returns a stamp.
     *
     * @param lock the key of the lock
     * @param token the token
     * @return the stamp of a holder
     */
    protected static FenceStamp stamp(String lock, long token) {
        return new FenceStamp(LockKey.of(lock), FencingToken.of(token));
    }

    @BeforeEach
    final void openBackend() {
        backend = open();
        catalog = backend.ability(FenceCatalog.class).orElseThrow();
    }

    @AfterEach
    final void closeBackend() {
        backend.close();
    }

    @Test
    void guardsAndLists() {
        catalog.guard().claim("invoice:42", stamp("lock", 34));
        catalog.guard().claim("invoice:7", stamp("lock", 3));
        catalog.guard().claim("Other", stamp("lock", 1));

        assertThat(catalog.list("", 10)).containsOnlyKeys("invoice:42", "invoice:7", "Other");
        assertThat(catalog.list("invoice:", 10).keySet()).containsExactly("invoice:42", "invoice:7");
        assertThat(catalog.list("", 1).keySet()).containsExactly("Other");
        assertThat(catalog.list("invoice:4", 10).get("invoice:42"))
                .isEqualTo(new Fence(LockKey.of("lock"), FencingToken.of(34), 0));
        assertThat(catalog.guard().check("invoice:42", stamp("lock", 33)))
                .isEqualTo(new Verdict.Stale(FencingToken.of(34)));
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> catalog.guard().claim("invoice:42", stamp("lock", 33)));
        assertThat(catalog.guard().highest("invoice:7")).contains(stamp("lock", 3));
        assertThatIllegalArgumentException().isThrownBy(() -> catalog.list("", 0));
    }

    @Test
    void raisesAndLowersNothing() throws Exception {
        assertThat(catalog.raise("invoice:42", stamp("lock", 34), ANN).highest())
                .isEqualTo(FencingToken.of(34));
        assertThat(catalog.raise("invoice:42", stamp("lock", 40), ANN).highest())
                .isEqualTo(FencingToken.of(40));
        assertThat(catalog.raise("invoice:42", stamp("lock", 35), ANN).highest())
                .isEqualTo(FencingToken.of(40));

        assertThat(catalog.guard().highest("invoice:42")).contains(stamp("lock", 40));
        assertThat(audit()).containsExactly("ann raise invoice:42 >lock 0>34", "ann raise invoice:42 lock>lock 34>40");
    }

    /** Each is told a token that is not above the greatest, and the records are a chain. */
    @Test
    void isRaisedByManyAtOnceAndNeverLowered() throws Exception {
        int racers = 6;
        int rounds = 20;
        List<Long> told = Race.of(racers, racer -> () -> {
            long greatest = 0;
            for (int i = 0; i < rounds; i++) {
                greatest = raised(stamp("lock", 1 + (long) i * racers + racer));
            }
            return greatest;
        });

        long last = (long) racers * rounds;
        assertThat(told).contains(last);
        assertThat(catalog.guard().highest("invoice:42")).contains(stamp("lock", last));
        List<String> steps = audit().stream()
                .map(record -> record.substring(record.lastIndexOf(' ') + 1))
                .sorted(Comparator.comparing(step -> Long.valueOf(step.substring(step.indexOf('>') + 1))))
                .toList();
        long before = 0;
        for (String step : steps) {
            assertThat(step).startsWith(before + ">");
            before = Long.parseLong(step.substring(step.indexOf('>') + 1));
        }
    }

    /** Raises the fence, again if it was in the way of others for too long. */
    private long raised(FenceStamp stamp) {
        while (true) {
            try {
                return catalog.raise("invoice:42", stamp, ANN).highest().value();
            } catch (BackendException e) {
                assertThat(e.code()).isEqualTo(ErrorCode.ABORTED);
            }
        }
    }

    @Test
    void raisesNothingOfAnotherLock() throws Exception {
        catalog.guard().claim("invoice:42", stamp("lock", 34));

        assertThatExceptionOfType(ForeignTokenException.class)
                .isThrownBy(() -> catalog.raise("invoice:42", stamp("another", 99), ANN))
                .satisfies(refusal -> assertThat(refusal.owner()).isEqualTo(LockKey.of("lock")));

        assertThat(catalog.guard().highest("invoice:42")).contains(stamp("lock", 34));
        assertThat(audit()).isEmpty();
    }

    @Test
    void givesAResourceToAnotherLockWhoseTokensMayBeSmaller() throws Exception {
        write("invoice:42", stamp("lock", 34));

        assertThat(catalog.rebind("invoice:42", LockKey.of("wrong"), LockKey.of("new"), ANN))
                .isFalse();
        assertThat(catalog.rebind("never fenced", LockKey.of("lock"), LockKey.of("new"), ANN))
                .isFalse();
        assertThat(catalog.rebind("invoice:42", LockKey.of("lock"), LockKey.of("new"), ANN))
                .isTrue();
        assertThat(catalog.list("", 10).get("invoice:42"))
                .isEqualTo(new Fence(LockKey.of("new"), FencingToken.of(1), 0));

        catalog.guard().claim("invoice:42", stamp("new", 1));
        assertThatExceptionOfType(ForeignTokenException.class)
                .isThrownBy(() -> catalog.guard().claim("invoice:42", stamp("lock", 99)));
        assertThat(audit()).containsExactly("ann rebind invoice:42 lock>new 34>1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> catalog.rebind("invoice:42", LockKey.of("new"), LockKey.of("new"), ANN));
    }
}
