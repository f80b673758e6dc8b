package io.fenceline.examples.folder;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.guard.Fence;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.Verdict;
import io.fenceline.telemetry.GuardAct;
import io.fenceline.telemetry.GuardCheck;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * A toy guard: texts in the files of a folder, each with its fence in the same file. One replacement of the file checks the token,
 * stores it and makes the change. The file outlives its text, so that a deletion does not lower the fence.
 */
public final class GuardedFolder implements FenceGuard {

    private final LockedFolder folder;
    private final FenceRule rule;
    private final LockListeners listeners;

    /** Opens the guard on a folder, which is created if it is missing. */
    public GuardedFolder(Path folder, FenceRule rule, LockListener... listeners) {
        this.folder = new LockedFolder(folder);
        this.rule = rule;
        this.listeners = LockListeners.of(listeners);
    }

    /** Returns a text, without a guard. */
    public Optional<String> read(String resource) {
        String name = ResourceName.of(resource).value();
        return folder.exclusively(() -> Optional.ofNullable(folder.read(name).getProperty("text")));
    }

    /** Replaces a text, or deletes it if {@code text} is null, unless the stamp is refused. */
    public void write(String resource, FenceStamp stamp, @Nullable String text) {
        String name = ResourceName.of(resource).value();
        try (GuardCheck check = GuardCheck.begin(listeners, GuardAct.WRITE, name, stamp)) {
            Verdict verdict = folder.exclusively(() -> writeIfAccepted(name, stamp, text));
            verdict.orThrow(name, stamp, listeners);
            check.accepted();
        }
    }

    private Verdict writeIfAccepted(String name, FenceStamp stamp, @Nullable String text) throws IOException {
        Properties entry = folder.read(name);
        Optional<Fence> fence = fence(entry);
        Verdict verdict = fence.map(seen -> seen.onWrite(stamp, rule)).orElse(new Verdict.Accepted());
        if (verdict.isAccepted()) {
            entry.remove("text");
            if (text != null) {
                entry.setProperty("text", text);
            }
            store(name, entry, fence.map(seen -> seen.afterWrite(stamp)).orElse(Fence.written(stamp)));
        }
        return verdict;
    }

    @Override
    public void claim(String resource, FenceStamp stamp) {
        String name = ResourceName.of(resource).value();
        try (GuardCheck check = GuardCheck.begin(listeners, GuardAct.CLAIM, name, stamp)) {
            Verdict verdict = folder.exclusively(() -> claimIfAccepted(name, stamp));
            verdict.orThrow(name, stamp, listeners);
            check.accepted();
        }
    }

    private Verdict claimIfAccepted(String name, FenceStamp stamp) throws IOException {
        Properties entry = folder.read(name);
        Optional<Fence> fence = fence(entry);
        Verdict verdict = fence.map(seen -> seen.onClaim(stamp)).orElse(new Verdict.Accepted());
        if (verdict.isAccepted()) {
            store(name, entry, fence.map(seen -> seen.afterClaim(stamp)).orElse(Fence.claimed(stamp)));
        }
        return verdict;
    }

    @Override
    public Verdict check(String resource, FenceStamp stamp) {
        return fence(resource).map(seen -> seen.onWrite(stamp, rule)).orElse(new Verdict.Accepted());
    }

    @Override
    public Optional<FenceStamp> highest(String resource) {
        return fence(resource).map(Fence::stamp);
    }

    private Optional<Fence> fence(String resource) {
        String name = ResourceName.of(resource).value();
        return folder.exclusively(() -> fence(folder.read(name)));
    }

    private static Optional<Fence> fence(Properties entry) {
        if (!entry.containsKey("highest")) {
            return Optional.empty();
        }
        return Optional.of(new Fence(
                LockKey.of(entry.getProperty("key")),
                FencingToken.of(Long.parseLong(entry.getProperty("highest"))),
                Long.parseLong(entry.getProperty("written"))));
    }

    private void store(String name, Properties entry, Fence fence) throws IOException {
        entry.setProperty("key", fence.key().value());
        entry.setProperty("highest", Long.toString(fence.highest().value()));
        entry.setProperty("written", Long.toString(fence.written()));
        folder.write(name, entry);
    }
}
