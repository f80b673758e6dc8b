package io.fenceline.cli;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.Locks;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.ElectionBuilder;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.spi.LockBackend;
import io.fenceline.time.TimeSource;
import java.time.Duration;

/** A candidacy from the opening of the store to the end of the command, told in exit codes. */
final class TakingPart {

    /** How long a store may be away at the start. Later outages are waited for, since the candidate goes on. */
    private static final Duration PATIENCE = OutageLimit.within(Duration.ofDays(1));

    private final Fenceline root;
    private final LeaseOptions lease;
    private final Duration stopping;

    TakingPart(Fenceline root, LeaseOptions lease, Duration stopping) {
        this.root = root;
        this.lease = lease;
        this.stopping = stopping;
    }

    /**
     * Takes part until the terms have an end. A signal that ends this JVM ends the candidacy first.
     *
     * @return what the terms end with
     */
    int run(String group, Candidate candidate, Terms terms) throws Exception {
        return ShutdownInterrupt.during(stopping, shutdown -> run(shutdown, group, candidate, terms));
    }

    private int run(ShutdownInterrupt shutdown, String group, Candidate candidate, Terms terms) throws Exception {
        try (LockBackend store = PatientOpening.of(root::open, PATIENCE, TimeSource.system(), this::tellOutage);
                LockBackend backend = new ToldOutages(store, root.complaints(), shutdown::hasBegun);
                Locks locks = Locks.builder(backend)
                        .listener(terms)
                        .onReleaseError((stamp, e) -> notReleased(group, e))
                        .build()) {
            ElectionBuilder builder = Election.of(locks, group)
                    .candidate(candidate)
                    .ttl(lease.ttl())
                    .safetyMargin(lease.safetyMargin(stopping));
            if (!lease.claims.isEmpty()) {
                FenceCatalog fences = root.ability(backend, FenceCatalog.class);
                builder.claims(
                        terms.toldOfRefusals(fences.guard()), lease.claimed().toArray(String[]::new));
            }
            shutdown.ensureNone();
            Election election = builder.join(terms);
            try {
                return terms.awaitEnd();
            } finally {
                election.close();
            }
        } catch (BackendException e) {
            if (e.effect() == Effect.NONE) {
                shutdown.ensureNone(); // drivers fail when they are started while the JVM ends; nobody wants to know
            }
            throw e;
        }
    }

    private void tellOutage(BackendException failure) {
        root.complaints().outage(PATIENCE, failure);
    }

    private void notReleased(String group, RuntimeException e) {
        root.complaints()
                .tell(
                        "group '" + group + "' was not given up and stays without a leader for "
                                + DurationText.of(lease.ttl()) + " at most: " + e.getMessage(),
                        e);
    }
}
