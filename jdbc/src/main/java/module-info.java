/** Fenceline on relational databases. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The modules of the qualified exports are compiled after this one.
module io.fenceline.jdbc {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires transitive java.sql;
    requires static org.postgresql.jdbc;
    requires static org.checkerframework.checker.qual;
    requires static com.zaxxer.hikari;
    requires static org.mariadb.jdbc;
    requires static com.h2database;

    exports io.fenceline.jdbc;
    exports io.fenceline.jdbc.guard;
    exports io.fenceline.jdbc.outbox;
    exports io.fenceline.jdbc.trigger;
    exports io.fenceline.jdbc.product to
            io.fenceline.hibernate,
            io.fenceline.sqlite;
    exports io.fenceline.jdbc.sql to
            io.fenceline.sqlite;
    exports io.fenceline.jdbc.sqlite to
            io.fenceline.sqlite;
    // It makes our sockets by their factory's name.
    exports io.fenceline.jdbc.postgresql to
            org.postgresql.jdbc;

    uses io.fenceline.jdbc.product.Product;
    uses io.fenceline.jdbc.trigger.TriggerDialect;

    provides io.fenceline.spi.BackendProvider with
            io.fenceline.jdbc.JdbcBackendProvider;
    provides io.fenceline.jdbc.product.Product with
            io.fenceline.jdbc.h2.H2,
            io.fenceline.jdbc.mariadb.MariaDb,
            io.fenceline.jdbc.mariadb.MySql,
            io.fenceline.jdbc.postgresql.PostgreSql,
            io.fenceline.jdbc.sqlite.Sqlite;
    provides io.fenceline.jdbc.trigger.TriggerDialect with
            io.fenceline.jdbc.trigger.PostgresTriggers,
            io.fenceline.jdbc.trigger.SqliteTriggers;
}
