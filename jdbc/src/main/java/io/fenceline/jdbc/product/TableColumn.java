package io.fenceline.jdbc.product;

import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;

/**
 * A column of a fenced table, as the database describes it.
 *
 * @param of the column and its table, for messages
 * @param typeName the type, for messages
 * @param isBig whether integers have 8 bytes
 * @param isFixed whether bytes are padded to a length
 * @param precision digits, characters or bytes; 0 if there is no limit
 * @param scale digits after the point
 */
public record TableColumn(
        String of, ColumnKind kind, String typeName, boolean isBig, boolean isFixed, int precision, int scale) {

    /** Reads the description of a column in the result of a query, at an index. */
    public static TableColumn of(FenceDialect dialect, String table, String name, ResultSetMetaData columns, int index)
            throws SQLException {
        String typeName = columns.getColumnTypeName(index);
        int type = dialect.columnType(columns.getColumnType(index), typeName);
        return new TableColumn(
                "column " + name + " of table " + table,
                ColumnKind.of(type, typeName),
                typeName,
                type == Types.BIGINT,
                type == Types.BINARY || typeName.equalsIgnoreCase("binary"),
                columns.getPrecision(index),
                columns.getScale(index));
    }

    /** Returns an exception that names the column and says what is wrong with it. */
    public IllegalArgumentException unfit(String what) {
        return new IllegalArgumentException(of + " has type " + typeName + ": " + what);
    }
}
