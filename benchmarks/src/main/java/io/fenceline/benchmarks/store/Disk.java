package io.fenceline.benchmarks.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** The disk of temporary files, on which the servers keep their data. */
public final class Disk {

    /** How many flushes are measured. */
    public static final int FLUSHES = 200;

    private Disk() {}

    /** Returns the median time of a flushed append of 4 kB, in microseconds. */
    public static long flushMicros() throws IOException {
        Path file = Files.createTempFile("fenceline-flush", "");
        long[] nanos = new long[FLUSHES];
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE)) {
            for (int i = 0; i < FLUSHES; i++) {
                channel.write(ByteBuffer.allocate(4096));
                long start = System.nanoTime();
                channel.force(false);
                nanos[i] = System.nanoTime() - start;
            }
        }
        Arrays.sort(nanos);
        return nanos[FLUSHES / 2] / 1000;
    }
}
