package io.fenceline.jdbc.product;

import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis.Finding;
import io.fenceline.spi.SelfDiagnosis.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** The findings that the diagnoses of several products have in common. */
public final class CommonFindings {

    private static final int SPARE_CONNECTIONS = 5;

    private CommonFindings() {}

    /** Compares the tables. */
    public static Finding schema(SchemaControl schema, String detail) {
        List<String> problems = schema.schemaProblems();
        return problems.isEmpty()
                ? Finding.ok("schema", detail)
                : new Finding(
                        "schema",
                        Severity.PROBLEM,
                        String.join("; ", problems),
                        "run 'fenceline schema install', or have a user who may create what is missing, and grant its use, run the output of"
                                + " 'fenceline schema print'");
    }

    /** Warns if few connections are left. */
    public static Finding connections(int used, int limit) {
        String detail = used + " of " + limit + " in use";
        return limit - used < SPARE_CONNECTIONS
                ? new Finding("connections", Severity.WARNING, detail, "raise max_connections, or use smaller pools")
                : Finding.ok("connections", detail);
    }

    /** Compares a server's clock with this machine's, read before and after. Half of the round trip is the greatest error. */
    public static Finding clock(Instant server, Instant before, Instant after) {
        Duration doubt = Duration.between(before, after).dividedBy(2);
        Duration skew = Duration.between(before.plus(doubt), server);
        return Finding.ok(
                "clock",
                String.format(
                        Locale.ROOT,
                        "the server's is %+d ms from this machine's, give or take %d ms; leases go by the server's",
                        skew.toMillis(),
                        doubt.toMillis() + 1));
    }

    /** Lists privileges that the role lacks. */
    public static Finding privileges(List<String> missing) {
        return missing.isEmpty()
                ? Finding.ok("privileges", "as needed")
                : new Finding(
                        "privileges",
                        Severity.PROBLEM,
                        "missing: " + String.join(", ", missing),
                        "grant them to the role that locks");
    }
}
