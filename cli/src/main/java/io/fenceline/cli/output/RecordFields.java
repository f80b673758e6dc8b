package io.fenceline.cli.output;

import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.LockRecord;
import io.fenceline.election.Election;
import io.fenceline.guard.Fence;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The printed fields of leases, leaders and fences. Never the lock id, with which anybody could release the lock. */
public final class RecordFields {

    private RecordFields() {}

    public static List<OutputField> ofLease(LockRecord lease) {
        return List.of(
                OutputField.of("key", "key", lease.raw().key().value()),
                OutputField.of("holder", "holder", lease.holder().text()),
                OutputField.of("token", "token", lease.token().text()),
                time("acquiredAt", "held since", lease.acquiredAt()),
                OutputField.forPrograms("expiresAt", lease.expiresAt()),
                remaining(lease));
    }

    /** A lock whether it is held or not; empty and null if it is not. */
    public static List<OutputField> ofLock(LockKey key, Optional<FencingToken> last, Optional<LockRecord> lease) {
        boolean held = lease.isPresent();
        String holder = lease.map(found -> found.holder().text()).orElse(null);
        List<OutputField> fields = new ArrayList<>(List.of(
                OutputField.of("key", "key", key.value()),
                new OutputField("held", "state", held, held ? "held" : "free"),
                OutputField.orElse(
                        "lastToken", "last token", last.map(FencingToken::text).orElse(null), "none yet"),
                OutputField.orElse("holder", "holder", holder, "-")));
        List<OutputField> times = lease.map(RecordFields::times)
                .orElseGet(() -> List.of(
                        OutputField.orElse("acquiredAt", "held since", null, "-"),
                        new OutputField("expiresAt", null, null, ""),
                        OutputField.orElse("remainingMillis", "remaining", null, "-")));
        fields.addAll(times);
        return fields;
    }

    private static List<OutputField> times(LockRecord lease) {
        return List.of(
                time("acquiredAt", "held since", lease.acquiredAt()),
                OutputField.forPrograms("expiresAt", lease.expiresAt()),
                remaining(lease));
    }

    public static List<OutputField> ofToken(LockKey key, Optional<FencingToken> last) {
        return List.of(
                OutputField.of("key", "key", key.value()),
                OutputField.orElse(
                        "lastToken", "last token", last.map(FencingToken::text).orElse(null), "none yet"));
    }

    public static List<OutputField> ofLeader(LockRecord lease) {
        return List.of(
                OutputField.of("group", "group", lease.raw().key().value().substring(Election.KEY_PREFIX.length())),
                OutputField.of("leader", "leader", lease.holder().text()),
                OutputField.of("term", "term", lease.token().text()),
                time("electedAt", "since", lease.acquiredAt()),
                OutputField.forPrograms("expiresAt", lease.expiresAt()),
                remaining(lease));
    }

    public static List<OutputField> ofFence(String resource, Fence fence) {
        String written =
                fence.written() == 0 ? null : FencingToken.of(fence.written()).text();
        return List.of(
                OutputField.of("resource", "resource", resource),
                OutputField.of("key", "lock key", fence.key().value()),
                OutputField.of("highest", "highest token", fence.highest().text()),
                OutputField.orElse("written", "last written", written, "never"));
    }

    public static OutputField time(String name, String label, Instant time) {
        return new OutputField(
                name, label, time, time.truncatedTo(ChronoUnit.SECONDS).toString());
    }

    private static OutputField remaining(LockRecord lease) {
        return new OutputField(
                "remainingMillis", "remaining", lease.remaining().toMillis(), DurationText.of(lease.remaining()));
    }
}
