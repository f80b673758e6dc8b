package io.fenceline.testkit.net;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The two directions of one connection: separates requests from replies, counts both and causes planned losses. */
final class Exchange {

    /** Beyond this a request is not recognised any more. */
    private static final int LONGEST_REQUEST = 1024 * 1024;

    private final PlannedLosses losses;
    private final Meter meter;
    private final Consumer<byte[]> listener;
    private final ByteArrayOutputStream request = new ByteArrayOutputStream();
    private @Nullable PlannedLoss planned;

    Exchange(PlannedLosses losses, Meter meter, Consumer<byte[]> listener) {
        this.losses = losses;
        this.meter = meter;
        this.listener = listener;
    }

    /** Takes a piece of a request; returns whether it continues to the server. */
    synchronized boolean request(byte[] bytes, int length) {
        if (request.size() < LONGEST_REQUEST) {
            request.write(bytes, 0, length);
        }
        if (planned == null && !losses.isEmpty()) {
            planned = losses.take(request.toByteArray()).orElse(null);
        }
        if (planned != null && planned.kind() == PlannedLoss.Kind.REQUEST) {
            planned.lost().complete(request.toByteArray());
            return false;
        }
        listener.accept(Arrays.copyOf(bytes, length));
        meter.request(length);
        return true;
    }

    /** Takes a piece of a reply; returns whether it continues to the client. */
    synchronized boolean reply(byte[] bytes, int length) {
        if (planned != null) {
            planned.lost().complete(request.toByteArray());
            return false;
        }
        request.reset();
        meter.reply(length);
        return true;
    }
}
