package io.fenceline.testkit;

import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition;
import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.ForwardingLockBackend;
import io.fenceline.spi.LockBackend;
import java.time.Duration;
import java.util.Set;

/** Opens a {@link TcpStore} with a sound backend or with one that has a fault. */
public final class TcpBackendProvider implements BackendProvider {

    static String uri(String scheme, int port) {
        return scheme + ":" + port;
    }

    @Override
    public Set<String> schemes() {
        return Set.of("tcp", "tcp-keeping", "tcp-repeating");
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
}
