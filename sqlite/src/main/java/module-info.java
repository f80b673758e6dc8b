/** Fenceline's lock store in a SQLite file. */
@org.jspecify.annotations.NullMarked
module io.fenceline.sqlite {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires io.fenceline.jdbc;
    requires org.xerial.sqlitejdbc;

    exports io.fenceline.sqlite;

    // Reads the SQL files.
    opens io.fenceline.sqlite to
            io.fenceline.jdbc;

    provides io.fenceline.spi.BackendProvider with
            io.fenceline.sqlite.SqliteBackendProvider;
}
