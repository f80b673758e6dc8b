package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.LockRecord;
import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.Leadership;
import io.fenceline.election.TokenSource;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Contract of elections when the network of the leader fails. Extended by tests with a {@link ProxiedFixture}: the leader is
 * behind the proxy, the other candidate beside it.
 */
@Timeout(120)
public abstract class ElectionNetworkContract extends AbilityContract {

    private static final String GROUP = "billing";
    private static final Duration TTL = Duration.ofSeconds(2);

    /** Creates the contract; called by test engines. */
    protected ElectionNetworkContract() {}

    @Override
    protected abstract ProxiedFixture newFixture();

    private ProxiedFixture proxied() {
        return (ProxiedFixture) fixture();
    }

    @Test
    @Tag("E3")
    void aLeaderThatIsCutOffHasNoStampWhenAnotherIsGrantedItsGroupAfterTheTtl() throws InterruptedException {
        RecordedTerms first = new RecordedTerms();
        RecordedTerms second = new RecordedTerms();
        LockBackend beside = proxied().openBeside();
        try (Locks behindTheProxy = Locks.over(fixture().open());
                Election leader = join(behindTheProxy, "cut off", first)) {
            Leadership lost = first.awaitElected();
            GrantWatch watch = new GrantWatch(beside, leader.tokens());
            try (Locks elsewhere = Locks.over(watch);
                    Election other = join(elsewhere, "beside", second)) {
                assertThat(leader.tokens().current()).isPresent();
                proxied().proxy().stall();
                long askedNanos = System.nanoTime();
                LockRecord record = beside.lookup(leader.key()).orElseThrow();

                Leadership next = second.awaitElected();

                assertThat(watch.grants).hasSize(1);
                assertThat(watch.grants.get(0).leadersStamp)
                        .as("the leader's stamp")
                        .isFalse();
                assertThat(watch.grants.get(0).nanos - askedNanos)
                        .as("the grant comes after what the store knew to be left")
                        .isGreaterThanOrEqualTo(record.remaining().toNanos());
                assertThat(lost.isLeading()).isFalse();
                assertThat(next.term()).isGreaterThan(lost.term());
                assertThat(first.awaitRevoked()).isEqualTo(RevocationReason.LEASE_LOST);

                proxied().proxy().heal(); // what the network kept back arrives now, and changes nothing
                assertThat(beside.lookup(other.key()).orElseThrow().token()).isEqualTo(next.term());
                assertThat(other.tokens().current()).isPresent();
                assertThat(lost.current()).isEmpty();
                other.stepDown();
                assertThat(first.awaitElected().term()).isGreaterThan(next.term());
            }
        }
    }

    private static Election join(Locks locks, String name, RecordedTerms terms) {
        return Election.of(locks, GROUP).candidate(Candidate.of(name)).ttl(TTL).join(terms);
    }

    /** A backend that notes at each of its grants whether somebody else has a stamp: the earliest moment that can be seen. */
    private static final class GrantWatch extends ForwardingLockBackend {

        record Seen(long nanos, boolean leadersStamp) {}

        private final List<Seen> grants = new CopyOnWriteArrayList<>();
        private final TokenSource leader;

        GrantWatch(LockBackend store, TokenSource leader) {
            super(store);
            this.leader = leader;
        }

        @Override
        public Acquisition acquire(AcquireRequest request) {
            Acquisition answer = super.acquire(request);
            if (answer instanceof Acquisition.Granted) {
                boolean stamp = leader.current().isPresent();
                grants.add(new Seen(System.nanoTime(), stamp));
            }
            return answer;
        }
    }
}
