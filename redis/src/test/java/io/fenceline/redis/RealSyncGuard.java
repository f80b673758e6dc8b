package io.fenceline.redis;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * SyncGuard itself, in a process of Node.js that does what it reads and writes how it went, a line each. Needs a folder in which
 * {@code npm install syncguard@2 ioredis@5} was run.
 */
final class RealSyncGuard implements SyncGuardPeer {

    private final Process node;
    private final BufferedWriter to;
    private final BufferedReader from;

    private RealSyncGuard(Process node) {
        this.node = node;
        this.to = new BufferedWriter(new OutputStreamWriter(node.getOutputStream(), StandardCharsets.UTF_8));
        this.from = new BufferedReader(new InputStreamReader(node.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Tells whether the folder has SyncGuard and this machine has Node.js. */
    static boolean isIn(Path folder) {
        return Files.isRegularFile(folder.resolve("node_modules/syncguard/redis/index.js"))
                && Files.isDirectory(folder.resolve("node_modules/ioredis"))
                && runs("node", "--version");
    }

    static RealSyncGuard start(Path folder, int port, String prefix) {
        try (InputStream script = RealSyncGuard.class.getResourceAsStream("syncguard-peer.mjs")) {
            Path copy = Files.createTempFile(folder, "peer", ".mjs"); // modules are looked for beside the script
            Files.write(copy, script.readAllBytes());
            copy.toFile().deleteOnExit();
            return new RealSyncGuard(
                    new ProcessBuilder(List.of("node", copy.toString(), Integer.toString(port), prefix))
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Optional<Taken> acquire(String key, long ttlMillis) {
        return ask("acquire", key, Long.toString(ttlMillis))
                .map(answer -> new Taken(answer[0], Long.parseLong(answer[1]), answer[2]));
    }

    @Override
    public boolean release(String lockId) {
        return ask("release", lockId).isPresent();
    }

    @Override
    public Optional<Long> extend(String lockId, long ttlMillis) {
        return ask("extend", lockId, Long.toString(ttlMillis)).map(answer -> Long.parseLong(answer[0]));
    }

    @Override
    public boolean isLocked(String key) {
        return ask("isLocked", key).isPresent();
    }

    @Override
    public Optional<Seen> lookupKey(String key) {
        return ask("lookupKey", key).map(RealSyncGuard::seen);
    }

    @Override
    public Optional<Seen> lookupId(String lockId) {
        return ask("lookupId", lockId).map(RealSyncGuard::seen);
    }

    private static Seen seen(String[] answer) {
        return new Seen(answer[0], answer[1], Long.parseLong(answer[2]), Long.parseLong(answer[3]), answer[4]);
    }

    /** Sends a line and reads "yes", then what else was said, or "no". */
    private synchronized Optional<String[]> ask(String... words) {
        try {
            for (String word : words) {
                to.write(URLEncoder.encode(word, StandardCharsets.UTF_8).replace("+", "%20") + " ");
            }
            to.newLine();
            to.flush();
            String line = from.readLine();
            if (line != null && line.equals("no")) {
                return Optional.empty();
            } else if (line != null && line.startsWith("yes")) {
                return Optional.of(line.substring("yes".length()).strip().split(" ", -1));
            }
            throw new AssertionError("SyncGuard answered " + String.join(" ", words) + " with " + line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean runs(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException absent) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void close() {
        node.destroyForcibly();
    }
}
