package io.fenceline.testkit.net;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;

/** Carries the bytes of one connection in one direction. */
final class Pump {

    private static final int PIECE = 64 * 1024;

    private final Connection connection;
    private final Socket from;
    private final Socket to;
    private final Flow flow;
    private final Watch watch;
    private volatile boolean ended;

    Pump(Connection connection, Socket from, Socket to, Flow flow, Watch watch) {
        this.connection = connection;
        this.from = from;
        this.to = to;
        this.flow = flow;
        this.watch = watch;
    }

    /** Sees each piece before it is delivered, so that an answer to it is seen later. */
    interface Watch {

        /** Looks at a piece. Returns whether it is delivered; if not, the connection is cut. */
        boolean allows(byte[] bytes, int length);
    }

    /** Returns when the stream has ended and its reader was told. */
    void run() throws IOException, InterruptedException {
        byte[] bytes = new byte[PIECE];
        InputStream in = from.getInputStream();
        for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
            flow.await(this);
            if (over()) {
                continue; // the sender must not block for want of a reader
            }
            if (!watch.allows(bytes, length)) {
                throw new IOException("cut on demand");
            }
            deliver(bytes, length);
        }
        flow.await(this);
        Sockets.endOutput(to);
    }

    /** Lets the reader see the end now, and drops what comes after it. */
    void end() {
        ended = true;
        Sockets.endOutput(to);
        flow.wake();
    }

    /** Whether nothing is delivered any more. */
    boolean over() {
        return ended || connection.isCut();
    }

    private void deliver(byte[] bytes, int length) throws IOException, InterruptedException {
        int done = 0;
        while (done < length && !over()) {
            int slice = flow.slice(length - done);
            try {
                to.getOutputStream().write(bytes, done, slice);
            } catch (IOException e) {
                if (!ended) {
                    throw e;
                }
            }
            done += slice;
            flow.awaitRate(this, slice);
        }
    }
}
