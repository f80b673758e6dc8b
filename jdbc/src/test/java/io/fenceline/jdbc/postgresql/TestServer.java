package io.fenceline.jdbc.postgresql;

import static java.util.stream.Collectors.joining;

import io.fenceline.jdbc.JdbcLockBackend;
import io.fenceline.jdbc.JdbcOptions;
import io.fenceline.jdbc.sql.ScriptFiles;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.SchemaControl;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.postgresql.ds.PGSimpleDataSource;

/** One server for all tests of a JVM that leave it running. */
public final class TestServer {

    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private static final Queue<String> USED = new ConcurrentLinkedQueue<>();
    private static final Queue<String> USED_OF_VERSION_1 = new ConcurrentLinkedQueue<>();
    private static final Set<String> OF_VERSION_1 = ConcurrentHashMap.newKeySet();

    private TestServer() {}

    public static PostgresServer shared() {
        return Shared.SERVER;
    }

    /** Makes a schema; a table of it is nobody else's. */
    public static String newSchema(PostgresServer server) {
        String name = "s" + SCHEMAS.incrementAndGet();
        server.execute("postgres", "CREATE SCHEMA " + name);
        return name;
    }

    /** Lends a schema with empty tables. To empty them is quicker than to make them. */
    static String borrowSchema() {
        String used = USED.poll();
        if (used != null) {
            return used;
        }
        String fresh = newSchema(shared());
        JdbcLockBackend.on(dataSource(shared()), JdbcOptions.defaults().withTable(fresh + ".fenceline_lock"))
                .ability(SchemaControl.class)
                .orElseThrow()
                .installSchema();
        return fresh;
    }

    /** Lends a schema as version 1 of the script makes it. */
    static String borrowSchemaOfVersion1() {
        String used = USED_OF_VERSION_1.poll();
        if (used != null) {
            return used;
        }
        String fresh = newSchema(shared());
        shared().execute("postgres", "SET search_path TO " + fresh + ";" + version1());
        OF_VERSION_1.add(fresh);
        return fresh;
    }

    /** The script of version 1. */
    static String version1() {
        return ScriptFiles.read(PostgresLocks.class, "schema-1.sql")
                + ScriptFiles.read(PostgresLocks.class, "fences-1.sql");
    }

    /** Takes a schema back. */
    static void giveBack(String schema) {
        shared().execute(
                        "postgres",
                        Stream.of("lock", "lock_audit", "fences", "fences_audit")
                                .map(table -> "DELETE FROM " + schema + ".fenceline_" + table)
                                .collect(joining("; ", "SET session_replication_role = replica; ", "")));
        (OF_VERSION_1.contains(schema) ? USED_OF_VERSION_1 : USED).add(schema);
    }

    public static PGSimpleDataSource dataSource(PostgresServer server) {
        return dataSource(server, "postgres");
    }

    static PGSimpleDataSource dataSource(PostgresServer server, String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(server.jdbcUrl(database));
        return source;
    }

    private static final class Shared {
        static final PostgresServer SERVER = PostgresServer.start(Map.of("max_connections", "200"));
    }
}
