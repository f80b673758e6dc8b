package io.fenceline.benchmarks.measure;

import java.time.Duration;

/**
 * The processes and threads that contend for one key.
 *
 * @param jvms how many processes
 * @param threads how many of each
 * @param section how long each grant is held
 * @param rest how long a thread pauses after it
 */
record Shape(int jvms, int threads, Duration section, Duration rest) {

    static Shape of(int jvms, int threads, long sectionMillis) {
        return new Shape(jvms, threads, Duration.ofMillis(sectionMillis), Duration.ZERO);
    }

    int all() {
        return jvms * threads;
    }
}
