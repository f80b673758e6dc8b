package io.fenceline.firestore;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Query;
import io.fenceline.BackendException;
import io.fenceline.spi.SelfDiagnosis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Looks at what can be seen of a live store with the rights of a client: its answers, its indexes and its clock. */
final class FirestoreDiagnosis implements SelfDiagnosis {

    private static final Duration MOST_SKEW = Duration.ofMillis(500);
    private static final int READS = 5;

    private final FirestoreLink link;
    private final DocumentReference any;
    private final CollectionReference locks;
    private final List<String> indexed;

    /**
     * Creates the examination.
     *
     * @param any a document to read, which may be missing
     * @param locks the collection of the locks
     * @param indexed the fields that queries use; the first by value, the others to sort by
     */
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
                        "an emulator at " + emulator + ", which forgets everything when it ends: tokens start again",
                        "use a project, except for tests");
    }

    static Finding clock(ClockSkew skew) {
        String detail = "the store's is ahead of ours by " + skew;
        return skew.exceeds(MOST_SKEW)
                ? new Finding(
                        "clock",
                        Severity.WARNING,
                        detail + "; leases go by the store's, times in our own logs do not",
                        "keep this machine's clock in step")
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
                    "let Firestore keep the automatic index of " + field + " in " + locks.getId());
        }
    }
}
