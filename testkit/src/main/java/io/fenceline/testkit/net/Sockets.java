package io.fenceline.testkit.net;

import java.io.Closeable;
import java.io.IOException;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/** Operations on sockets whose errors no longer matter. */
final class Sockets {

    private Sockets() {}

    static void close(@Nullable Closeable socket) {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException closedAnyway) {
                // nobody is left to tell
            }
        }
    }

    /** Closes with a reset. */
    static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException closedAlready) {
            // then there is nobody to reset
        }
        close(socket);
    }

    /** Lets the peer read the end of the stream. */
    static void endOutput(Socket socket) {
        try {
            socket.shutdownOutput();
        } catch (IOException endedAlready) {
            // that is what was wanted
        }
    }

    static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
