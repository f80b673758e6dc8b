package io.fenceline.benchmarks.store;

import io.fenceline.servers.PostgresServer;
import io.fenceline.servers.RedisServer;
import io.fenceline.servers.RedisSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.stream.Stream;

/**
 * The stores of one run: each is started when it is first asked for, unless its URI was given. For one thread, except that
 * another may close them; the servers end with the JVM, however that ends.
 */
public final class StoreServers implements AutoCloseable {

    private static final Map<String, String> POSTGRES_SETTINGS = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "full_page_writes", "on",
            "max_connections", "200");

    private final Map<Store, StoreAddress> addresses = new EnumMap<>(Store.class);
    private final Map<Store, ServerProbe> probes = new EnumMap<>(Store.class);
    private final Deque<AutoCloseable> open = new ConcurrentLinkedDeque<>();

    /** Makes stores of which some run already. */
    public StoreServers(Map<Store, StoreAddress> running) {
        addresses.putAll(running);
    }

    /** Returns where a store is. */
    public StoreAddress address(Store store) {
        return addresses.computeIfAbsent(store, this::start);
    }

    /** Returns what looks at a store's server. */
    public ServerProbe probe(Store store) {
        return probes.computeIfAbsent(store, this::look);
    }

    private StoreAddress start(Store store) {
        return new StoreAddress(
                switch (store) {
                    case MEMORY -> "memory:";
                    case SQLITE -> "sqlite:" + folder().resolve("locks.db");
                    case REDIS -> startRedis();
                    case POSTGRESQL ->
                        closedLater(PostgresServer.start(POSTGRES_SETTINGS)).uri();
                });
    }

    private String startRedis() {
        RedisServer server = closedLater(RedisServer.start(RedisSettings.inMemory()));
        closedLater(server::stop); // before it is closed, which would kill it and have its shell say so
        return server.uri();
    }

    private ServerProbe look(Store store) {
        try {
            return closedLater(
                    switch (store) {
                        case MEMORY -> ServerProbe.none("a map in the heap of one JVM");
                        case SQLITE -> ServerProbe.none("a file with a write-ahead log, flushed before a call returns");
                        case REDIS -> new RedisProbe(address(store));
                        case POSTGRESQL -> new PostgresProbe(address(store));
                    });
        } catch (SQLException e) {
            throw new IllegalStateException("PostgreSQL cannot be looked at: " + e.getMessage(), e);
        }
    }

    private Path folder() {
        try {
            Path folder = Files.createTempDirectory("fenceline-benchmark");
            closedLater(() -> remove(folder));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private <T extends AutoCloseable> T closedLater(T resource) {
        open.push(resource);
        return resource;
    }

    /** Ends what was started here. */
    @Override
    public void close() {
        for (AutoCloseable resource : open) {
            try {
                resource.close();
            } catch (Exception e) {
                System.err.println("cannot close " + resource + ": " + e);
            }
        }
        open.clear();
    }
}
