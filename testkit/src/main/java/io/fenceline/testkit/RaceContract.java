package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Acquisition.Contended;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.Delays;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of backends that many threads ask at once, each with a handle of its own or all with one. */
abstract class RaceContract extends ContractVocabulary {

    private static final int ROUNDS = 5;

    /** A store that loses one of ten such races is found in all but one of a hundred runs. */
    private static final int RELEASE_ROUNDS = 40;

    @Test
    @Tag("G1")
    void grantsAFreshLockToExactlyOne() {
        List<LockBackend> handles = handles();
        for (int round = 0; round < ROUNDS; round++) {
            LockKey key = LockKey.of("fresh " + round);

            List<Acquisition> answers =
                    race(i -> () -> handles.get(i).acquire(request(key, LockId.random(), LONG_TTL)));

            assertHeldBy(theOnlyGrant(answers));
        }
    }

    @Test
    @Tag("G1")
    void grantsAReleasedLockToExactlyOneAndSpendsOneToken() {
        List<LockBackend> handles = handles();
        Grant last = takeAndRelease(KEY);
        for (int round = 0; round < ROUNDS; round++) {
            List<Acquisition> answers =
                    race(i -> () -> handles.get(i).acquire(request(KEY, LockId.random(), LONG_TTL)));

            Grant grant = theOnlyGrant(answers);
            assertThat(grant.token()).isGreaterThan(last.token());
            assertThat(release(grant)).isTrue();
            last = grant;
        }
    }

    @Test
    @Tag("G1")
    void grantsAnExpiredLockToExactlyOne() {
        List<LockBackend> handles = handles();
        Grant expired = takeAndLetExpire(KEY);

        List<Acquisition> answers = race(i -> () -> handles.get(i).acquire(request(KEY, LockId.random(), LONG_TTL)));

        Grant grant = theOnlyGrant(answers);
        assertThat(grant.token()).isGreaterThan(expired.token());
        assertHeldBy(grant);
    }

    @Test
    @Tag("G7")
    void grantsOnceToOneLockIdThatAsksFromEverywhere() {
        List<LockBackend> handles = handles();
        AcquireRequest request = request(KEY, LockId.random(), LONG_TTL);

        List<Acquisition> answers = race(i -> () -> handles.get(i).acquire(request));

        assertThat(answers)
                .extracting(answer -> asStored(granted(answer)))
                .containsOnly(record(KEY).raw());
    }

    @Test
    @Tag("G6")
    void letsExactlyOneOfManyReleasesEndTheLease() {
        List<LockBackend> handles = handles();
        Grant grant = take(KEY);

        List<Boolean> answers = race(i -> () -> handles.get(i).release(KEY, grant.lockId()));

        assertThat(answers).containsOnlyOnce(true);
        assertFree(KEY);
    }

    @Test
    @Tag("G6")
    void letsNoneOfManyStrangersReleaseIt() {
        Grant grant = take(KEY);

        List<Boolean> answers = race(i -> () -> backend.release(KEY, LockId.random()));

        assertThat(answers).containsOnly(false);
        assertThat(release(grant)).isTrue();
    }

    @Test
    @Tag("G6")
    void letsAnExtensionOrATakeoverSucceedAtTheEndOfALeaseButNeverBoth() {
        LockBackend other = fixture().open();
        for (int round = 0; round < ROUNDS; round++) {
            Grant grant = take(KEY, shortTtl());
            long pauseNanos = round * 1_000_000L;
            Callable<Boolean> extension = () -> {
                Delays.system().park(pauseNanos);
                return extend(grant, LONG_TTL);
            };
            Callable<Boolean> takeover =
                    () -> tried(() -> other.acquire(request(KEY, LockId.random(), LONG_TTL)) instanceof Granted);
            Callable<Boolean> clock = () -> {
                fixture().passTime(Duration.ofMillis(4));
                return true;
            };
            fixture().passTime(counted(shortTtl()).minusMillis(2));

            List<Boolean> won = Race.of(3, List.of(extension, takeover, clock)::get);

            assertThat(won.get(0) && won.get(1)).as("extended and granted").isFalse();
            backend.lookup(KEY)
                    .ifPresent(left -> backend.release(KEY, left.raw().lockId()));
        }
    }

    /** A store that decides on what it read before has to notice that an extension came in between. */
    @Test
    @Tag("G6")
    void letsAReleaseThatRacesExtensionsEndTheLease() {
        LockBackend other = fixture().open();
        LockBackend another = fixture().open();
        for (int round = 0; round < RELEASE_ROUNDS; round++) {
            Grant grant = take(KEY);
            Duration longer = LONG_TTL.plusSeconds(round + 1);
            Callable<Boolean> release = () -> releasedAtLast(grant);
            Callable<Boolean> extension = () -> tryToExtend(other, grant, longer);
            Callable<Boolean> secondExtension = () -> tryToExtend(another, grant, longer.plusSeconds(1));

            List<Boolean> answers = Race.of(3, List.of(release, extension, secondExtension)::get);

            assertThat(answers.get(0)).as("released in round " + round).isTrue();
            assertFree(KEY);
        }
    }

    /** A release that the store refused to decide, and said so, is repeated. */
    private boolean releasedAtLast(Grant grant) {
        for (int i = 0; i < 10; i++) {
            try {
                return release(grant);
            } catch (BackendException e) {
                assertThat(e.code().isTransient()).as(e.toString()).isTrue();
            }
        }
        return release(grant);
    }

    private static boolean tryToExtend(LockBackend handle, Grant grant, Duration ttl) {
        try {
            return handle.extend(KEY, grant.lockId(), ttl).isPresent();
        } catch (BackendException e) {
            assertThat(e.code().isTransient()).as(e.toString()).isTrue();
            return false;
        }
    }

    @Test
    @Tag("G1")
    void neverLetsTwoInAtOnce() {
        List<LockBackend> handles = handles();
        Section section = new Section();

        List<List<FencingToken>> tokens = race(i -> () -> {
            List<FencingToken> mine = new ArrayList<>();
            while (mine.size() < fixture().cycles()) {
                LockId lockId = LockId.random();
                Acquisition answer = handles.get(i).acquire(request(KEY, lockId, LONG_TTL));
                if (answer instanceof Granted granted) {
                    mine.add(granted.grant().token());
                    section.pass(granted.grant().token());
                    assertThat(handles.get(i).release(KEY, lockId)).isTrue();
                } else {
                    letOthersRun();
                }
            }
            return mine;
        });

        assertThat(tokens).allSatisfy(mine -> assertThat(mine).isSorted());
        assertThat(tokens.stream().flatMap(List::stream)).doesNotHaveDuplicates();
        assertThat(section.passes).isEqualTo(fixture().racers() * fixture().cycles());
        assertFree(KEY);
    }

    @Test
    @Tag("G1")
    void letsEachThreadHaveAKeyOfItsOwn() {
        List<LockBackend> handles = handles();

        List<Integer> grants = race(i -> () -> {
            LockKey key = LockKey.of("own " + i);
            for (int cycle = 0; cycle < fixture().cycles(); cycle++) {
                Grant grant = granted(handles.get(i).acquire(request(key, LockId.random(), LONG_TTL)));
                assertThat(handles.get(i).release(key, grant.lockId())).isTrue();
            }
            return fixture().cycles();
        });

        assertThat(grants).containsOnly(fixture().cycles());
    }

    @Test
    @Tag("G8")
    void letsManyReadersAgree() {
        Grant grant = take(KEY);

        List<Grant> seen = race(i -> () -> backend.lookup(KEY).orElseThrow().raw());

        assertThat(seen).extracting(Grant::token).containsOnly(grant.token());
        assertThat(seen).extracting(Grant::lockId).containsOnly(grant.lockId());
    }

    /** Handles of their own for half of the racers, a common one for the others. */
    private List<LockBackend> handles() {
        return Stream.iterate(0, i -> i + 1)
                .limit(fixture().racers())
                .map(i -> i % 2 == 0 ? backend : fixture().open())
                .toList();
    }

    private <T> List<T> race(IntFunction<Callable<T>> tasks) {
        return Race.of(fixture().racers(), tasks);
    }

    private static Grant theOnlyGrant(List<Acquisition> answers) {
        List<Grant> grants = answers.stream()
                .filter(Granted.class::isInstance)
                .map(answer -> ((Granted) answer).grant())
                .toList();
        assertThat(grants).hasSize(1);
        assertThat(answers).filteredOn(Contended.class::isInstance).hasSize(answers.size() - 1);
        return grants.get(0);
    }

    private static void letOthersRun() throws InterruptedException {
        Delays.system().park(1_000);
    }

    private static boolean tried(Callable<Boolean> attempt) throws Exception {
        for (int i = 0; i < 100; i++) {
            if (attempt.call()) {
                return true;
            }
            letOthersRun();
        }
        return false;
    }

    /** A critical section that notices company, and whose plain field loses updates if it has any. */
    private static final class Section {
        private final AtomicInteger inside = new AtomicInteger();
        private int passes;
        private long greatestToken;

        void pass(FencingToken token) throws InterruptedException {
            assertThat(inside.incrementAndGet()).as("holders at once").isEqualTo(1);
            assertThat(token.value()).as("token in the order of grants").isGreaterThan(greatestToken);
            greatestToken = token.value();
            int before = passes;
            letOthersRun();
            passes = before + 1;
            inside.decrementAndGet();
        }
    }
}
