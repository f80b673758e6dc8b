package io.fenceline.benchmarks.store;

import java.io.Serializable;
import java.net.URI;

/**
 * The address of a running store.
 *
 * @param uri as {@code Backends.open} takes it
 */
public record StoreAddress(String uri) implements Serializable {

    /** Returns the server's host. */
    public String host() {
        return URI.create(uri).getHost();
    }

    /** Returns the server's port. */
    public int port() {
        return URI.create(uri).getPort();
    }

    /** Returns the same store as it is reached through a relay on a port of this machine. */
    public StoreAddress through(int relay) {
        return new StoreAddress(uri.replace("//" + host() + ":" + port(), "//127.0.0.1:" + relay));
    }

    /** Returns what JDBC calls it. */
    public String jdbcUrl() {
        return "jdbc:" + uri;
    }
}
