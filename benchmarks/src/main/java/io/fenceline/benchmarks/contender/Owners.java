package io.fenceline.benchmarks.contender;

import java.util.concurrent.ThreadLocalRandom;

/** Names that no other acquisition has, as long as our own lock ids. For one thread. */
final class Owners {

    private final String prefix = Long.toString(ThreadLocalRandom.current().nextLong(1L << 52, 1L << 53), 36);
    private long count = 36L * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36 * 36;

    String next() {
        count++;
        return prefix + Long.toString(count, 36);
    }
}
