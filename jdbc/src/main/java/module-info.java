/** Fenceline on relational databases. */
@org.jspecify.annotations.NullMarked
module io.fenceline.jdbc {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires java.sql;
    requires static org.xerial.sqlitejdbc;

    exports io.fenceline.jdbc.sqlite;

    provides io.fenceline.spi.BackendProvider with
            io.fenceline.jdbc.sqlite.SqliteBackendProvider;
}
