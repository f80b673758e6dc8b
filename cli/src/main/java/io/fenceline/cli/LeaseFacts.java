package io.fenceline.cli;

import io.fenceline.LockRecord;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** The printed fields of a running lease: all but its lock id, with which anybody could release it. */
final class LeaseFacts {

    private LeaseFacts() {}

    static List<Fact> of(LockRecord lease) {
        return List.of(
                Fact.of("key", "key", lease.raw().key().value()),
                Fact.of("holder", "holder", lease.holder().text()),
                Fact.of("fence", "token", lease.token().text()),
                new Fact("acquiredAt", "held since", lease.acquiredAt(), seconds(lease.acquiredAt())),
                Fact.forPrograms("expiresAt", lease.expiresAt()),
                new Fact(
                        "remainingMillis",
                        "remaining",
                        lease.remaining().toMillis(),
                        DurationText.of(lease.remaining())));
    }

    static String seconds(Instant instant) {
        return instant.truncatedTo(ChronoUnit.SECONDS).toString();
    }
}
