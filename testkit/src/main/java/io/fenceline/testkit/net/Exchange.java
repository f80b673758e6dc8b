package io.fenceline.testkit.net;

import java.io.ByteArrayOutputStream;
import org.jspecify.annotations.Nullable;

/** The two directions of one connection: tells requests from replies, counts both and springs traps. */
final class Exchange {

    /** Beyond this a request is not recognised any more. */
    private static final int LONGEST_REQUEST = 1024 * 1024;

    private final Traps traps;
    private final Meter meter;
    private final ByteArrayOutputStream request = new ByteArrayOutputStream();
    private @Nullable Trap sprung;

    Exchange(Traps traps, Meter meter) {
        this.traps = traps;
        this.meter = meter;
    }

    /** Takes a piece of a request; answers whether it goes on to the server. */
    synchronized boolean request(byte[] bytes, int length) {
        if (request.size() < LONGEST_REQUEST) {
            request.write(bytes, 0, length);
        }
        if (sprung == null && !traps.isEmpty()) {
            sprung = traps.spring(request.toByteArray()).orElse(null);
        }
        if (sprung != null && sprung.kind() == Trap.Kind.REQUEST) {
            sprung.lost().complete(request.toByteArray());
            return false;
        }
        meter.request(length);
        return true;
    }

    /** Takes a piece of a reply; answers whether it goes on to the client. */
    synchronized boolean reply(byte[] bytes, int length) {
        if (sprung != null) {
            sprung.lost().complete(request.toByteArray());
            return false;
        }
        request.reset();
        meter.reply(length);
        return true;
    }
}
