package io.fenceline.cli.output;

import io.fenceline.FencingToken;
import io.fenceline.LockRecord;
import io.fenceline.election.Election;
import io.fenceline.guard.Fence;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

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
