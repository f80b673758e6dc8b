package io.fenceline.sqlite;

import io.fenceline.jdbc.product.CommonFindings;
import io.fenceline.spi.SelfDiagnosis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Checks a store's file, its disk, and the machine's clock. */
final class SqliteDiagnosis implements SelfDiagnosis {

    private static final long MEBIBYTE = 1 << 20;
    private static final long LOW_SPACE = 100 * MEBIBYTE;
    private static final long LARGE_LOG = 100 * MEBIBYTE;

    private final SqliteStore store;
    private final MachineClock clock;

    SqliteDiagnosis(SqliteStore store, MachineClock clock) {
        this.store = store;
        this.clock = clock;
    }

    @Override
    public List<Finding> diagnose() {
        if (!store.exists()) {
            return List.of(
                    Finding.ok("store", "there is none at " + store.path() + " yet; the first lock makes it"),
                    machineTime());
        }
        List<Finding> findings = new ArrayList<>(List.of(
                journal(),
                integrity(),
                CommonFindings.schema(store.schema(), "as this version makes it"),
                machineTime(),
                fileSystem()));
        try {
            findings.add(space());
            findings.add(log());
            findings.add(permissions());
            findings.add(names());
        } catch (IOException | UnsupportedOperationException e) {
            findings.add(new Finding(
                    "file", Severity.WARNING, "cannot be examined: " + e, "check that the folder may be read"));
        }
        return findings;
    }

    private Finding journal() {
        String mode = pragma("PRAGMA journal_mode");
        return mode.equals("wal")
                ? Finding.ok("journal", "write-ahead log, brought to the disk before each answer")
                : new Finding(
                        "journal",
                        Severity.PROBLEM,
                        "journal_mode is " + mode,
                        "run PRAGMA journal_mode=WAL on the file");
    }

    private Finding integrity() {
        String answer = pragma("PRAGMA quick_check(1)");
        return answer.equals("ok")
                ? Finding.ok("integrity", "quick_check finds nothing")
                : new Finding(
                        "integrity",
                        Severity.PROBLEM,
                        answer,
                        "stop all that use the store, restore it, and raise the tokens above those in use");
    }

    private Finding machineTime() {
        MachineTime now = clock.read();
        return now.bootId().isEmpty()
                ? new Finding(
                        "clock",
                        Severity.WARNING,
                        "leases end by the time of day",
                        "never set this machine's clock by more than a fraction of a ttl")
                : Finding.ok("clock", "leases end by the time since boot " + now.bootId());
    }

    private Finding fileSystem() {
        String type = StorePath.fileSystemOf(store.path());
        return type.equals("tmpfs") || type.equals("ramfs")
                ? new Finding(
                        "file system",
                        Severity.WARNING,
                        type + ": a restart of the machine takes all tokens back to 1",
                        "move the store to a disk")
                : Finding.ok("file system", type);
    }

    private Finding space() throws IOException {
        long free = Files.getFileStore(store.path()).getUsableSpace();
        String detail = free / MEBIBYTE + " MiB free";
        return free < LOW_SPACE
                ? new Finding("disk space", Severity.WARNING, detail, "free some space")
                : Finding.ok("disk space", detail);
    }

    private Finding log() throws IOException {
        long size = Files.size(StoreFiles.logOf(store.path().toRealPath()));
        String detail = size / MEBIBYTE + " MiB of log";
        return size > LARGE_LOG
                ? new Finding(
                        "log", Severity.WARNING, detail, "find the program that keeps a transaction open on the file")
                : Finding.ok("log", detail);
    }

    private Finding permissions() throws IOException {
        Set<PosixFilePermission> granted = Files.getPosixFilePermissions(store.path());
        String detail = PosixFilePermissions.toString(granted);
        return granted.contains(PosixFilePermission.OTHERS_WRITE)
                ? new Finding(
                        "permissions",
                        Severity.WARNING,
                        detail + ": every user of the machine can change the locks",
                        "chmod o-w " + store.path())
                : Finding.ok("permissions", detail);
    }

    private Finding names() {
        int links = StorePath.names(store.path());
        return links == 1
                ? Finding.ok("hard links", "1")
                : new Finding(
                        "hard links",
                        Severity.PROBLEM,
                        links + ": opened under two names, the file has two logs, and locks are held twice",
                        "leave one");
    }

    private String pragma(String sql) {
        return store.one(sql, row -> row.getString(1)).orElse("");
    }
}
