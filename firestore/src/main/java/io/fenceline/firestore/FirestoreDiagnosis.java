package io.fenceline.firestore;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Query;
import io.fenceline.BackendException;
import io.fenceline.spi.SelfDiagnosis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Checks a store with the permissions of a client: reachability, indexes and clock. */
final class FirestoreDiagnosis implements SelfDiagnosis {

    private static final Duration MAX_SKEW = Duration.ofMillis(500);
    private static final int READS = 5;

    private final FirestoreLink link;
    private final DocumentReference any;
    private final CollectionReference locks;
    private final List<String> indexed;

    /** {@code any} is a document to read, which may be missing. Queries filter by the first of the indexed fields and sort by the others. */
    FirestoreDiagnosis(FirestoreLink link, DocumentReference any, CollectionReference locks, List<String> indexed) {
        this.link = link;
        this.any = any;
        this.locks = locks;
        this.indexed = indexed;
    }

    @Override
    public List<Finding> diagnose() {
        for (int i = 0; i < READS; i++) {
            link.read(any, link.deadline());
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(store());
        link.clock().skew().map(FirestoreDiagnosis::clock).ifPresent(findings::add);
        findings.add(index(indexed.get(0), locks.whereEqualTo(indexed.get(0), "none")));
        indexed.stream().skip(1).forEach(field -> findings.add(index(field, locks.orderBy(field))));
        return findings;
    }

    private Finding store() {
        String emulator = link.client().getOptions().getEmulatorHost();
        return emulator == null
                ? Finding.ok(
                        "store",
                        "project " + link.client().getOptions().getProjectId() + ", database "
                                + link.client().getOptions().getDatabaseId())
                : new Finding(
                        "store",
                        Severity.WARNING,
                        "an emulator at " + emulator + ", which loses all data when it stops: tokens start again",
                        "use a project, except for tests");
    }

    static Finding clock(ClockSkew skew) {
        String detail = "the store's clock is ahead of ours by " + skew;
        return skew.exceeds(MAX_SKEW)
                ? new Finding(
                        "clock",
                        Severity.WARNING,
                        detail + "; leases use the store's clock, our logs do not",
                        "synchronize this machine's clock")
                : Finding.ok("clock", detail);
    }

    private Finding index(String field, Query query) {
        try {
            link.read(query.limit(1));
            return Finding.ok("index of " + field, "answers");
        } catch (BackendException e) {
            return new Finding(
                    "index of " + field,
                    Severity.PROBLEM,
                    String.valueOf(e.getMessage()),
                    "enable Firestore's automatic index of " + field + " in " + locks.getId());
        }
    }
}
