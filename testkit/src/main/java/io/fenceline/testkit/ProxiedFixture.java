package io.fenceline.testkit;

import io.fenceline.LockKey;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A fixture whose store goes by real time, and whose backends reach it through a proxy unless they are meant not to. */
public interface ProxiedFixture extends BackendFixture {

    /**
     * Returns the proxy that every {@link #open() opened} backend goes through.
     *
     * @return a proxy without faults; the fixture closes it
     */
    FaultProxy proxy();

    /**
     * Opens one more backend on the same store that does not go through the proxy, as a process elsewhere would.
     *
     * @return a backend; the fixture closes those that the test leaves open
     */
    LockBackend openBeside();

    /**
     * Returns the backend's own limit: how long a call takes at most when the store does not answer, whether it finds a
     * connection or has to make one.
     *
     * @return short, since tests wait for it
     */
    Duration longestAnswer();

    /**
     * Returns whether bytes are a request about a key. As it stands, the key's text has to be in them, so the connection must
     * not be encrypted.
     *
     * @param request what a client sent since the last reply
     * @param key a lock
     * @return whether the server will act on the key when it gets this
     */
    default boolean carries(byte[] request, LockKey key) {
        ByteBuffer name = ByteBuffer.wrap(key.value().getBytes(StandardCharsets.UTF_8));
        for (int i = 0; i + name.limit() <= request.length; i++) {
            if (ByteBuffer.wrap(request, i, name.limit()).equals(name)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether looking up a lock id is one round trip. A store that indexes only keys may need two.
     *
     * @return whether it is
     */
    default boolean findsLockIdsAtOnce() {
        return true;
    }
}
