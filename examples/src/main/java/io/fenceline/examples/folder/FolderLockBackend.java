package io.fenceline.examples.folder;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FencingToken;
import io.fenceline.Grant;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.Redaction;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Properties;

/**
 * A toy backend: one file per lock in a folder. The file keeps the last token for good, and the lease while it runs.
 *
 * <p>Its limits: it serves the processes of one machine, since file locks on network drives are not reliable. Its clock is the wall
 * clock of that machine, so setting the clock forward ends leases early. A process that is stopped in the middle of a call blocks
 * all others until it continues (promise G11 does not hold), and looking up a lock id reads all files.
 */
public final class FolderLockBackend implements LockBackend {

    private final LockedFolder folder;
    private final Redaction redaction = Redaction.withRandomSecret();
    private volatile boolean closed;

    /** Opens the backend on a folder, which is created if it is missing. */
    public FolderLockBackend(Path folder) {
        this.folder = new LockedFolder(folder);
    }

    @Override
    public Acquisition acquire(AcquireRequest request) {
        return exclusively(() -> {
            Properties entry = folder.read(request.key().value());
            long now = System.currentTimeMillis();
            if (runs(entry, now)) {
                Grant running = grant(entry);
                return running.lockId().equals(request.lockId())
                        ? new Acquisition.Granted(running)
                        : new Acquisition.Contended(remaining(running, now), Optional.of(running.holder()));
            }
            long last = Long.parseLong(entry.getProperty("last", "0"));
            Checks.tokensLeft(request, last);
            long token = TokenMode.COUNTER.next(last, 0);
            Properties next = new Properties();
            next.setProperty("key", request.key().value());
            next.setProperty("last", Long.toString(token + request.tokens() - 1));
            next.setProperty("lockId", request.lockId().text());
            next.setProperty("holder", request.holder().text());
            next.setProperty("token", Long.toString(token));
            next.setProperty("tokens", Integer.toString(request.tokens()));
            next.setProperty("acquiredAt", Long.toString(now));
            next.setProperty("expiresAt", Long.toString(now + request.ttlMillis()));
            folder.write(request.key().value(), next);
            return new Acquisition.Granted(grant(next));
        });
    }

    @Override
    public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
        LockOptions.requireTtl(ttl);
        return exclusively(() -> {
            Properties entry = folder.read(key.value());
            long now = System.currentTimeMillis();
            if (!isHeldBy(lockId, entry, now)) {
                return Optional.empty();
            }
            long end = Math.max(expiresAt(entry), now + AcquireRequest.millisRoundedUp(ttl));
            entry.setProperty("expiresAt", Long.toString(end));
            folder.write(key.value(), entry);
            return Optional.of(Instant.ofEpochMilli(end));
        });
    }

    @Override
    public boolean release(LockKey key, LockId lockId) {
        return exclusively(() -> {
            Properties entry = folder.read(key.value());
            boolean held = isHeldBy(lockId, entry, System.currentTimeMillis());
            if (held) {
                entry.remove("lockId");
                folder.write(key.value(), entry);
            }
            return held;
        });
    }

    @Override
    public boolean releaseAfter(LockKey key, LockId lockId, Duration rest) {
        long restMillis = Checks.restMillis(rest);
        return exclusively(() -> {
            Properties entry = folder.read(key.value());
            long now = System.currentTimeMillis();
            boolean held = isHeldBy(lockId, entry, now);
            if (held) {
                entry.setProperty("expiresAt", Long.toString(now + restMillis));
                folder.write(key.value(), entry);
            }
            return held;
        });
    }

    @Override
    public Optional<LockRecord> lookup(LockKey key) {
        return exclusively(() -> record(folder.read(key.value())));
    }

    @Override
    public Optional<LockRecord> lookup(LockId lockId) {
        return exclusively(() -> folder.all().stream()
                .filter(entry -> lockId.text().equals(entry.getProperty("lockId")))
                .findFirst()
                .flatMap(this::record));
    }

    @Override
    public void close() {
        closed = true;
    }

    private <T> T exclusively(LockedFolder.Step<T> step) {
        if (closed) {
            throw new BackendException(ErrorCode.INTERNAL, Effect.NONE, "this backend was closed", null);
        }
        return folder.exclusively(step);
    }

    private Optional<LockRecord> record(Properties entry) {
        long now = System.currentTimeMillis();
        return runs(entry, now)
                ? Optional.of(new LockRecord(grant(entry), remaining(grant(entry), now), redaction))
                : Optional.empty();
    }

    private static boolean isHeldBy(LockId lockId, Properties entry, long now) {
        return runs(entry, now) && entry.getProperty("lockId").equals(lockId.text());
    }

    private static boolean runs(Properties entry, long now) {
        return entry.containsKey("lockId") && now < expiresAt(entry);
    }

    private static long expiresAt(Properties entry) {
        return Long.parseLong(entry.getProperty("expiresAt"));
    }

    private static Duration remaining(Grant grant, long now) {
        return Duration.ofMillis(grant.expiresAt().toEpochMilli() - now);
    }

    private static Grant grant(Properties entry) {
        return new Grant(
                LockKey.of(entry.getProperty("key")),
                LockId.parse(entry.getProperty("lockId")),
                Holder.of(entry.getProperty("holder")),
                FencingToken.of(Long.parseLong(entry.getProperty("token"))),
                Integer.parseInt(entry.getProperty("tokens")),
                Instant.ofEpochMilli(Long.parseLong(entry.getProperty("acquiredAt"))),
                Instant.ofEpochMilli(expiresAt(entry)));
    }
}
