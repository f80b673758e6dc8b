package io.fenceline.jdbc.product;

import java.sql.Types;
import java.util.Locale;

/** The kind of value that a column holds, as far as keys and fences depend on it. */
public enum ColumnKind {
    INTEGER,
    DECIMAL,
    TEXT,
    UUID,
    BYTES,
    OTHER;

    static ColumnKind of(int type, String typeName) {
        String name = typeName.toLowerCase(Locale.ROOT);
        if (name.equals("uuid") || name.equals("uniqueidentifier")) {
            return UUID; // JDBC has no type for them, and drivers differ in what they say instead
        }
        return switch (type) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> INTEGER;
            case Types.NUMERIC, Types.DECIMAL -> DECIMAL;
            case Types.CHAR,
                    Types.VARCHAR,
                    Types.LONGVARCHAR,
                    Types.NCHAR,
                    Types.NVARCHAR,
                    Types.LONGNVARCHAR,
                    Types.CLOB,
                    Types.NCLOB -> TEXT;
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> BYTES;
            default -> name.equals("citext") ? TEXT : OTHER;
        };
    }
}
