package io.fenceline.benchmarks.store;

/** Looks at a server from outside, over a connection of its own. Used by one thread. */
public interface ServerProbe extends AutoCloseable {

    /** Returns what the server has done so far. */
    ServerUse use();

    /** Waits until all other clients have gone, so that what they did is counted. */
    void awaitQuiet() throws InterruptedException;

    /** Returns the server's version and the settings that decide how fast it is. */
    String description();

    @Override
    void close();

    /** Sees nothing: the store is in the client's process. */
    static ServerProbe none(String description) {
        return new ServerProbe() {
            @Override
            public ServerUse use() {
                return ServerUse.UNKNOWN;
            }

            @Override
            public void awaitQuiet() {}

            @Override
            public String description() {
                return description;
            }

            @Override
            public void close() {}
        };
    }
}
