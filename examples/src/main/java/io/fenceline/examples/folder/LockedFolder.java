package io.fenceline.examples.folder;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.math.BigInteger;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** A folder with one small file per name, whose files are read and replaced by one process at a time. */
final class LockedFolder {

    /** The operating system locks files for processes, not for threads. */
    private static final Map<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

    private final Path folder;
    private final ReentrantLock threads;

    LockedFolder(Path folder) {
        try {
            this.folder = Files.createDirectories(folder).toRealPath();
        } catch (IOException e) {
            throw new BackendException(
                    ErrorCode.SERVICE_UNAVAILABLE, Effect.NONE, "cannot create folder " + folder + ": " + e, e);
        }
        this.threads = THREADS.computeIfAbsent(this.folder, path -> new ReentrantLock());
    }

    /** Work on the files of the folder. */
    interface Step<T> {
        T run() throws IOException;
    }

    /** Runs a step while no other thread or process runs one. An interrupt is kept for later: it would close the file. */
    <T> T exclusively(Step<T> step) {
        boolean interrupted = Thread.interrupted();
        threads.lock();
        try (FileChannel channel =
                FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.lock(); // released when the channel is closed, also by the end of the process
            return step.run();
        } catch (IOException e) {
            throw new BackendException(
                    ErrorCode.SERVICE_UNAVAILABLE, Effect.UNKNOWN, "cannot use folder " + folder + ": " + e, e);
        } finally {
            threads.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the file of a name; empty if there is none. */
    Properties read(String name) throws IOException {
        return read(file(name));
    }

    private static Properties read(Path file) throws IOException {
        Properties entry = new Properties();
        try (InputStream in = Files.newInputStream(file)) {
            entry.load(in);
        } catch (NoSuchFileException absent) {
            // an empty entry
        }
        return entry;
    }

    /** Replaces the file of a name in one step: a crash leaves the old one or the new one. */
    void write(String name, Properties entry) throws IOException {
        Path next = folder.resolve("next");
        try (FileChannel channel = FileChannel.open(
                        next,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING);
                OutputStream out = Channels.newOutputStream(channel)) {
            entry.store(out, null);
            channel.force(true);
        }
        Files.move(next, file(name), ATOMIC_MOVE, REPLACE_EXISTING);
    }

    /** Returns the files of all names. */
    List<Properties> all() throws IOException {
        List<Properties> entries = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".properties"))
                    .toList()) {
                entries.add(read(file));
            }
        }
        return entries;
    }

    /** Any name becomes a valid and different file name. */
    private Path file(String name) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return folder.resolve(new BigInteger(1, hash).toString(16) + ".properties");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
