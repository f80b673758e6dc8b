package io.fenceline.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tells whether an error of a disk is that it is full: SQLite has no error of its own for its shared memory. */
final class DiskSpace {

    /** SQLite's shared memory and its log grow by less at a time. */
    private static final long NEEDED_BYTES = 128 * 1024;

    private DiskSpace() {}

    /** Returns whether the disk of a file has too little space left for SQLite to go on. */
    static boolean isUsedUp(Path file) {
        try {
            return Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace() < NEEDED_BYTES;
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }
}
