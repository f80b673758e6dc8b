package io.fenceline.engine;

import static io.fenceline.engine.Bench.OPTIONS;
import static io.fenceline.engine.Bench.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Lease;
import io.fenceline.testkit.Fault;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** L8 and L9: a lease's idempotency keys are its own, and its token never changes and never needs the backend. */
class LeaseTokenTest {

    private final Bench bench = Bench.polling();

    @Nested
    class TheToken {

        @Test
        void staysThatOfASupersededHolder() {
            Lease first = bench.acquire(OPTIONS.withoutRenewal());
            FencingToken before = first.token();
            bench.pass(TTL);
            Lease second = bench.acquire();

            assertThat(first.isHeld()).isFalse();
            assertThat(first.token()).isEqualTo(before);
            assertThat(first.stamp()).isEqualTo(new FenceStamp(first.key(), before));
            assertThat(second.token().isNewerThan(before)).isTrue();
        }

        @Test
        void staysThroughRenewalReleaseAndClosing() {
            Lease lease = bench.acquire();
            FenceStamp before = lease.stamp();

            bench.pass(TTL.dividedBy(3));
            assertThat(lease.stamp()).isEqualTo(before);
            lease.release();
            assertThat(lease.stamp()).isEqualTo(before);
            bench.locks.close();
            assertThat(lease.stamp()).isEqualTo(before);
        }

        @Test
        void isReadWithoutAskingTheBackend() {
            Lease lease = bench.acquire();
            bench.faults.everything(Fault.refusal(ErrorCode.SERVICE_UNAVAILABLE));
            long asked = bench.askedAtAll();

            assertThat(lease.token().value()).isOne();
            assertThat(lease.stamp().token()).isEqualTo(lease.token());
            assertThat(lease.grant().token()).isEqualTo(lease.token());
            assertThat(lease.idempotencyKey("charge")).isNotEmpty();

            assertThat(bench.askedAtAll()).isEqualTo(asked);
        }
    }

    @Nested
    class TheIdempotencyKey {

        @Test
        void namesTheKeyTheTokenAndTheStep() {
            assertThat(bench.acquire().idempotencyKey("charge")).isEqualTo("invoice:42/000000000000001/charge");
        }

        @Test
        void isTheSameForEveryRepetition() {
            Lease lease = bench.acquire();
            String before = lease.idempotencyKey("charge");

            bench.pass(TTL.dividedBy(3));
            lease.close();

            assertThat(lease.idempotencyKey("charge")).isEqualTo(before);
        }

        @Test
        void isAnotherForTheNextGrant() {
            Lease first = bench.acquire();
            first.close();

            assertThat(bench.acquire().idempotencyKey("charge")).isNotEqualTo(first.idempotencyKey("charge"));
        }

        /** Lock keys may hold slashes, and even what looks like another lease's idempotency key. */
        @Test
        void isNeverThatOfAnotherLockKey() {
            Set<String> seen = new HashSet<>();
            String[] parts = {"a", "/", "000000000000001", "000000000000002", "/b"};
            for (String first : parts) {
                for (String second : parts) {
                    for (String third : parts) {
                        addAllKeysOf(first + second + third, seen);
                    }
                }
            }
        }

        private void addAllKeysOf(String name, Set<String> seen) {
            bench.locks.tryAcquire("used " + name).orElseThrow().close();
            try (Lease lease = bench.locks.tryAcquire(name).orElseThrow()) {
                if (lease.token().value() == 1) {
                    assertThat(seen.add(lease.idempotencyKey("a"))).isTrue();
                    assertThat(seen.add(lease.idempotencyKey("b"))).isTrue();
                    assertThat(seen.add(lease.idempotencyKey("000000000000001")))
                            .isTrue();
                }
            }
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "a/b", "a b", "ch\u00e4rge", "charge\n", "\ncharge", "a:b", "a\0b"})
        void refusesStepsThatWouldMakeItAmbiguous(String step) {
            Lease lease = bench.acquire();

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> lease.idempotencyKey(step))
                    .withMessageContaining(step);
        }

        @Test
        void takesStepsOfUpTo64Characters() {
            Lease lease = bench.acquire();

            assertThat(lease.idempotencyKey("Az09._-" + "x".repeat(57))).endsWith("x");
            assertThatIllegalArgumentException().isThrownBy(() -> lease.idempotencyKey("x".repeat(65)));
        }
    }
}
