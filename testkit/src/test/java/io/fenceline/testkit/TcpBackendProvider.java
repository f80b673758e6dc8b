package io.fenceline.testkit;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Opens a {@link TcpStore} with a sound backend or with one that has a fault. */
public final class TcpBackendProvider implements BackendProvider {

    static String uri(String scheme, int port) {
        return scheme + ":" + port;
    }

    @Override
    public Set<String> schemes() {
        return Set.of("tcp", "tcp-keeping", "tcp-repeating", "tcp-lingering");
    }

    @Override
    public String usage() {
        return "tcp:PORT";
    }

    @Override
    public LockBackend open(String uri) {
        int colon = uri.indexOf(':');
        LockBackend sound = new TcpLockBackend(Integer.parseInt(uri.substring(colon + 1)), Duration.ofMillis(300));
        return switch (uri.substring(0, colon)) {
            case "tcp-keeping" -> new Keeping(sound);
            case "tcp-repeating" -> new Repeating(sound);
            case "tcp-lingering" -> new Lingering(sound);
            default -> sound;
        };
    }

    /** Its leases outlive the ttl, and only it ends them. */
    private static final class Keeping extends ForwardingLockBackend {

        Keeping(LockBackend sound) {
            super(sound);
        }

        @Override
        public Acquisition acquire(AcquireRequest request) {
            return delegate()
                    .acquire(AcquireRequest.of(request.key(), request.lockId(), Duration.ofHours(1), request.holder()));
        }

        @Override
        public boolean release(LockKey key, LockId lockId) {
            return delegate().isLocked(key);
        }
    }

    /** Every second of its tokens was granted before. */
    private static final class Repeating extends ForwardingLockBackend {

        Repeating(LockBackend sound) {
            super(sound);
        }

        @Override
        public Acquisition acquire(AcquireRequest request) {
            return Mutants.withHalfTheToken(delegate().acquire(request));
        }
    }

    /** Its leases last a second longer than the store's. */
    private static final class Lingering extends ForwardingLockBackend {

        Lingering(LockBackend sound) {
            super(sound);
        }

        @Override
        public Optional<Instant> extend(LockKey key, LockId lockId, Duration ttl) {
            return delegate().extend(key, lockId, ttl).map(end -> end.plusSeconds(1));
        }
    }
}
