package io.fenceline.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.StaleTokenException;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Documents behind a guard: set, update, delete, several at once, and transactions that read. */
@NeedsFirestore
class FirestoreDocumentsTest {

    private static final LockKey LOCK = LockKey.of("lock-of-invoices");

    private final FirestoreFixture fixture = new FirestoreFixture(TestStore.get());
    private final Firestore client = TestStore.sharedClient();
    private final FirestoreFenceGuard guard = guard(FenceRule.AT_LEAST);
    private final DocumentReference invoice =
            client.collection(fixture.prefix() + "_invoices").document("42");
    private final String resource = FirestoreFenceGuard.resource(invoice);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    @Tag("R1")
    void areSetUpdatedAndDeletedByTheNewestHolderOnly() throws Exception {
        guard.set(invoice, stamp(1), Map.of("status", "open", "reminders", 0L));
        assertThat(guard.update(invoice, stamp(2), Map.of("reminders", FieldValue.increment(1))))
                .isTrue();

        refused(() -> guard.set(invoice, stamp(1), Map.of("status", "stale")));
        refused(() -> guard.update(invoice, stamp(1), Map.of("status", "stale")));
        refused(() -> guard.delete(invoice, stamp(1)));

        assertThat(invoice.get().get().getData()).isEqualTo(Map.of("status", "open", "reminders", 1L));
        guard.delete(invoice, stamp(2));
        assertThat(invoice.get().get().exists()).isFalse();
    }

    @Test
    @Tag("R5")
    void leaveTheirFenceBehindWhenTheyAreDeleted() throws Exception {
        guard.set(invoice, stamp(2), Map.of("status", "open"));
        guard.delete(invoice, stamp(3));

        refused(() -> guard.set(invoice, stamp(2), Map.of("status", "stale")));

        assertThat(invoice.get().get().exists()).isFalse();
        assertThat(guard.highest(resource)).contains(stamp(3));
    }

    @Test
    @Tag("R6")
    void thatAreMissingAreNotUpdatedWhichIsNoRefusal() {
        assertThat(guard.update(invoice, stamp(2), Map.of("status", "paid"))).isFalse();
        assertThat(guard.highest(resource)).isEmpty();

        guard.claim(resource, stamp(3));
        assertThat(guard.update(invoice, stamp(3), Map.of("status", "paid"))).isFalse();
        refused(() -> guard.update(invoice, stamp(2), Map.of("status", "paid")));
    }

    @Test
    @Tag("R3")
    void areWrittenTogetherOrNotAtAll() throws Exception {
        DocumentReference other =
                client.collection(fixture.prefix() + "_invoices").document("43");
        guard.write(
                resource, stamp(1), batch -> batch.set(invoice, Map.of("n", 1)).set(other, Map.of("n", 1)));

        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> guard.write(
                        resource,
                        stamp(2),
                        batch -> batch.set(invoice, Map.of("n", 2)).create(other, Map.of("n", 2))))
                .returns(ErrorCode.ABORTED, BackendException::code)
                .returns(Effect.NONE, BackendException::effect);

        assertThat(invoice.get().get().getLong("n")).isEqualTo(1);
        assertThat(guard.highest(resource)).contains(stamp(1));
    }

    @Test
    @Tag("R3")
    void canBeReadInTheTransactionThatWritesThem() throws Exception {
        guard.set(invoice, stamp(1), Map.of("sum", 10L));

        long sum = guard.call(resource, stamp(2), transaction -> {
            long doubled = 2 * transaction.get(invoice).get().getLong("sum");
            transaction.update(invoice, "sum", doubled);
            return doubled;
        });

        assertThat(sum).isEqualTo(20);
        assertThat(invoice.get().get().getLong("sum")).isEqualTo(20);
        refused(() -> guard.transact(resource, stamp(1), transaction -> transaction.delete(invoice)));
        assertThat(guard.highest(resource)).contains(stamp(2));
    }

    @Test
    @Tag("R2")
    void areWrittenOnceForEachGrantWhereThatIsTheRuleAlsoByTransactions() {
        FirestoreFenceGuard once = guard(FenceRule.ONCE);
        once.transact(resource, stamp(1), transaction -> transaction.set(invoice, Map.of("n", 1)));

        refused(() -> once.transact(resource, stamp(1), transaction -> transaction.set(invoice, Map.of("n", 2))));
        refused(() -> once.set(invoice, stamp(1), Map.of("n", 2)));
    }

    @Test
    void stayAsTheyAreWhenTheBodyOfATransactionFails() throws Exception {
        guard.set(invoice, stamp(1), Map.of("sum", 10L));

        assertThatIllegalStateException()
                .isThrownBy(() -> guard.transact(resource, stamp(2), transaction -> {
                    transaction.delete(invoice);
                    throw new IllegalStateException("out of paper");
                }));
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> guard.transact(resource, stamp(2), transaction -> {
                    throw new java.io.IOException("out of ink");
                }))
                .withCauseInstanceOf(java.io.IOException.class);

        assertThat(invoice.get().get().exists()).isTrue();
        assertThat(guard.highest(resource)).contains(stamp(1));
    }

    @Test
    @Tag("R7")
    void canBeSeenRaisedAndGivenToAnotherLockByOperators() {
        FenceCatalog catalog = fixture.open().ability(FenceCatalog.class).orElseThrow();
        Holder operator = Holder.of("operator");
        guard.set(invoice, stamp(5), Map.of("n", 1));

        assertThat(catalog.list(resource, 10)).containsExactly(Map.entry(resource, Fence.written(stamp(5))));
        assertThat(catalog.list("zzz", 10)).isEmpty();
        assertThat(catalog.raise(resource, stamp(9), operator).highest()).isEqualTo(FencingToken.of(9));
        assertThat(catalog.raise(resource, stamp(7), operator).highest()).isEqualTo(FencingToken.of(9));
        refused(() -> guard.set(invoice, stamp(8), Map.of("n", 2)));
        assertThatExceptionOfType(ForeignTokenException.class)
                .isThrownBy(() ->
                        catalog.raise(resource, new FenceStamp(LockKey.of("other"), FencingToken.of(99)), operator));

        assertThat(catalog.rebind(resource, LockKey.of("other"), LOCK, operator))
                .isFalse();
        assertThat(catalog.rebind(resource, LOCK, LockKey.of("other"), operator))
                .isTrue();
        assertThat(catalog.list(resource, 10))
                .containsExactly(Map.entry(resource, new Fence(LockKey.of("other"), FencingToken.of(1), 0)));
        guard.set(invoice, new FenceStamp(LockKey.of("other"), FencingToken.of(1)), Map.of("n", 3));
        assertThatExceptionOfType(ForeignTokenException.class)
                .isThrownBy(() -> guard.set(invoice, stamp(10), Map.of("n", 4)));
    }

    private FirestoreFenceGuard guard(FenceRule rule) {
        return FirestoreFenceGuard.on(
                client,
                FirestoreGuardOptions.defaults().withPrefix(fixture.prefix()).withRule(rule));
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LOCK, FencingToken.of(token));
    }

    private static void refused(Runnable write) {
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(write::run);
    }
}
