package io.fenceline.benchmarks.report;

import io.fenceline.benchmarks.measure.Numbers;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Something we want to reach.
 *
 * @param text what
 * @param atLeast whether the bound is one from below
 * @param bound the number to reach
 * @param finding what was reached
 */
record Aim(String text, boolean atLeast, double bound, ToDoubleFunction<Findings> finding) {

    private static final String REDIS = "fenceline-redis";
    private static final String POSTGRESQL = "fenceline-postgresql";
    private static final String TWO_BUSY = "contended-2x8-0ms";
    private static final String TWO_SECTIONS = "contended-2x8-2ms";

    static final List<Aim> ALL = List.of(
            atLeast(
                    "Redis, 16 threads: cycles/s ÷ raw Lettuce",
                    0.95,
                    found -> found.ratio("uncontended-16", REDIS, "cycles/s", "raw-lettuce")),
            atLeast(
                    "Redis, 1 thread: the same",
                    1,
                    found -> found.ratio("uncontended-1", REDIS, "cycles/s", "raw-lettuce")),
            atMost("Redis: bytes up for a cycle", 300, found -> found.median("costs", REDIS, "bytes up")),
            atMost(
                    "Redis, 16 threads: bytes allocated for a cycle",
                    4000,
                    found -> found.median("uncontended-16", REDIS, "allocated")),
            atMost("Redis: trips to acquire", 1, found -> found.median("costs", REDIS, "acquire trips")),
            atMost("Redis: trips to release", 1, found -> found.median("costs", REDIS, "release trips")),
            atLeast(
                    "PostgreSQL, 16 threads: cycles/s ÷ raw durable upsert and update",
                    1.1,
                    found -> found.ratio("uncontended-16", POSTGRESQL, "cycles/s", "raw-pg")),
            atMost(
                    "PostgreSQL, 16 threads: CPU of client and server ÷ raw",
                    1,
                    found -> found.ratio("uncontended-16", POSTGRESQL, "cpu", "raw-pg")),
            atLeast(
                    "PostgreSQL, 1 thread: cycles/s ÷ raw durable upsert and update",
                    1.2,
                    found -> found.ratio("uncontended-1", POSTGRESQL, "cycles/s", "raw-pg")),
            atMost("PostgreSQL: fsyncs for a cycle", 1.05, found -> found.median("costs", POSTGRESQL, "fsyncs")),
            atMost("PostgreSQL: trips to acquire", 1, found -> found.median("costs", POSTGRESQL, "acquire trips")),
            atMost("PostgreSQL: trips to release", 1, found -> found.median("costs", POSTGRESQL, "release trips")),
            atLeast(
                    "Memory, 1 thread: cycles/s",
                    3_000_000,
                    found -> found.median("uncontended-1", "fenceline-memory", "cycles/s")),
            atLeast(
                    "Redis, 2 JVMs, 0 ms: grants/s ÷ Redisson's fenced lock",
                    10,
                    found -> found.ratio(TWO_BUSY, REDIS, "grants/s", "redisson-fenced")),
            atLeast(
                    "PostgreSQL, 2 JVMs, 0 ms: grants/s ÷ the best peer",
                    10,
                    found -> found.smallestRatio(TWO_BUSY, POSTGRESQL, "grants/s", "spring-jdbc", "shedlock-jdbc")),
            atMost(
                    "Redis, 2 JVMs, 0 ms: commands for a grant",
                    0.1,
                    found -> found.median(TWO_BUSY, REDIS, "commands")),
            atMost(
                    "PostgreSQL, 2 JVMs, 0 ms: commands for a grant",
                    0.15,
                    found -> found.median(TWO_BUSY, POSTGRESQL, "commands")),
            fair("Redis, 2 JVMs, 0 ms", TWO_BUSY, REDIS),
            fair("PostgreSQL, 2 JVMs, 0 ms", TWO_BUSY, POSTGRESQL),
            atMost("Redis, 2 JVMs, 0 ms: longest wait, ms", 35, found -> found.median(TWO_BUSY, REDIS, "longest wait")),
            atMost(
                    "PostgreSQL, 2 JVMs, 0 ms: longest wait, ms",
                    35,
                    found -> found.median(TWO_BUSY, POSTGRESQL, "longest wait")),
            atLeast(
                    "Redis, 2 JVMs, 2 ms: grants/s, of 500 that are possible",
                    475,
                    found -> found.median(TWO_SECTIONS, REDIS, "grants/s")),
            atLeast(
                    "PostgreSQL, 2 JVMs, 2 ms: grants/s, of 500 that are possible",
                    475,
                    found -> found.median(TWO_SECTIONS, POSTGRESQL, "grants/s")),
            fair("Redis, 2 JVMs, 2 ms", TWO_SECTIONS, REDIS),
            fair("PostgreSQL, 2 JVMs, 2 ms", TWO_SECTIONS, POSTGRESQL),
            atMost(
                    "Redis, 2 JVMs, 2 ms: longest wait ÷ the fair share",
                    1.25,
                    found -> found.median(TWO_SECTIONS, REDIS, "longest/fair")),
            atMost(
                    "PostgreSQL, 2 JVMs, 2 ms: longest wait ÷ the fair share",
                    1.25,
                    found -> found.median(TWO_SECTIONS, POSTGRESQL, "longest/fair")),
            atMost(
                    "Redis: release's call to waiter's grant, in round trips of an idle machine",
                    2,
                    found -> found.median("wake-up", REDIS, "call/idle")),
            atMost(
                    "PostgreSQL: the same, less one flush",
                    3,
                    found -> found.median("wake-up", POSTGRESQL, "call less flush/idle")),
            atMost("Redis: server's CPU, 10⁶ keys ÷ 1 key", 1.15, found -> found.median("scale", REDIS, "keys ×")),
            atMost(
                    "PostgreSQL: server's CPU, 10⁶ keys ÷ 1 key",
                    1.15,
                    found -> found.median("scale", POSTGRESQL, "keys ×")),
            atMost(
                    "Redis: time of a release, 1,000 waiters ÷ 1 waiter",
                    2,
                    found -> found.median("scale", REDIS, "waiters ×")));

    private static Aim fair(String where, String measure, String contender) {
        return atLeast(
                where + ": fewest ÷ most grants of a thread",
                0.9,
                found -> found.median(measure, contender, "fewest/most"));
    }

    private static Aim atLeast(String text, double bound, ToDoubleFunction<Findings> finding) {
        return new Aim(text, true, bound, finding);
    }

    private static Aim atMost(String text, double bound, ToDoubleFunction<Findings> finding) {
        return new Aim(text, false, bound, finding);
    }

    /** Returns a table of all that were measured. */
    static String table(Findings findings) {
        StringBuilder text = new StringBuilder("| aim | wanted | measured | |\n|---|---|---|---|\n");
        for (Aim aim : ALL) {
            double found = aim.finding.applyAsDouble(findings);
            boolean reached = aim.atLeast ? found >= aim.bound : found <= aim.bound;
            String verdict = Double.isNaN(found) ? "not measured" : reached ? "reached" : "**missed**";
            text.append("| %s | %s %s | %s | %s |\n"
                    .formatted(
                            aim.text, aim.atLeast ? "≥" : "≤", Numbers.text(aim.bound), Numbers.text(found), verdict));
        }
        return text.toString();
    }
}
