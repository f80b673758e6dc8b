package io.fenceline.cli;

import io.fenceline.LockRecord;
import io.fenceline.election.Election;
import java.util.List;

/** The printed fields of a group's leader. */
final class LeaderFacts {

    private LeaderFacts() {}

    static List<Fact> of(LockRecord lease) {
        return List.of(
                Fact.of("group", "group", lease.raw().key().value().substring(Election.KEY_PREFIX.length())),
                Fact.of("leader", "leader", lease.holder().text()),
                Fact.of("term", "term", lease.token().text()),
                new Fact("electedAt", "since", lease.acquiredAt(), LeaseFacts.seconds(lease.acquiredAt())),
                Fact.forPrograms("expiresAt", lease.expiresAt()),
                new Fact(
                        "remainingMillis",
                        "remaining",
                        lease.remaining().toMillis(),
                        DurationText.of(lease.remaining())));
    }
}
