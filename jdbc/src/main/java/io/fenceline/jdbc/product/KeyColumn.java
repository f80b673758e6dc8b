package io.fenceline.jdbc.product;

import io.fenceline.guard.ResourceKey;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.UUID;

/**
 * Makes one key of all that a key column calls equal: one value for statements, and one text for the row's name. What the
 * column would compare in another way, or round, is refused.
 */
public final class KeyColumn {

    /**
     * A row's key.
     *
     * @param value what the driver gets
     * @param text what the row's name is made of
     */
    public record Key(Object value, String text) {}

    /** PostgreSQL's greatest. Its driver reports a negative scale, which rounds to tens or more, as one above it. */
    private static final int MAX_SCALE = 1_000;

    private final TableColumn column;
    private final TextComparison texts;
    private final int exactDigits;

    /**
     * Creates the keys of a column.
     *
     * @param texts how it compares them, if it holds texts
     * @param exactDigits how many digits of a number are kept
     * @throws IllegalArgumentException if a row would have several names; the message says what to change
     */
    public KeyColumn(TableColumn column, TextComparison texts, int exactDigits) {
        this.column = column;
        this.texts = texts;
        this.exactDigits = exactDigits;
        if (column.kind() == ColumnKind.OTHER) {
            throw column.unfit("keys of rows must be numbers, texts, UUIDs or bytes");
        }
        if (column.kind() == ColumnKind.TEXT && texts == TextComparison.LOOSE) {
            throw column.unfit(
                    "its type or collation treats texts as equal that differ, for instance in case, so one row would have"
                            + " several fences; declare the column with one that compares byte by byte (PostgreSQL: text COLLATE"
                            + " \"C\" or another deterministic one; MariaDB and MySQL: utf8mb4_nopad_bin or utf8mb4_bin; SQLite:"
                            + " BINARY; H2: VARCHAR), or use a key that is a number or a UUID");
        }
    }

    /**
     * Returns the one key for all that the column calls equal.
     *
     * @throws IllegalArgumentException if the column does not compare such keys in one way
     */
    public Key of(Object key) {
        return switch (column.kind()) {
            case INTEGER, DECIMAL -> number(decimal(key));
            case TEXT -> text(key);
            case UUID -> uuid(key);
            case BYTES -> bytes(key);
            case OTHER -> throw refused(key);
        };
    }

    private BigDecimal decimal(Object key) {
        if (key instanceof BigDecimal number) {
            return number;
        } else if (key instanceof BigInteger number) {
            return new BigDecimal(number);
        } else if (key instanceof Long || key instanceof Integer || key instanceof Short || key instanceof Byte) {
            return BigDecimal.valueOf(((Number) key).longValue());
        } else if (key instanceof String text) {
            try {
                return new BigDecimal(text.strip());
            } catch (NumberFormatException e) {
                throw refused(key);
            }
        }
        throw refused(key);
    }

    private Key number(BigDecimal number) {
        String text = ResourceKey.text(number);
        BigDecimal shortest = new BigDecimal(text);
        int places = Math.max(shortest.scale(), 0);
        if (column.kind() == ColumnKind.INTEGER ? places > 0 : column.precision() > 0 && isLimited(places)) {
            throw column.unfit("it would round the key " + number);
        }
        if (shortest.precision() > exactDigits
                && !(places == 0 && shortest.toBigInteger().bitLength() < Long.SIZE)) {
            throw column.unfit("it would round the key " + number + " to " + exactDigits + " digits");
        }
        boolean isLong = places == 0 && shortest.precision() < 19;
        return new Key(isLong ? (Object) shortest.longValueExact() : shortest, text);
    }

    private boolean isLimited(int places) {
        return column.scale() > MAX_SCALE || places > column.scale();
    }

    private Key text(Object key) {
        if (key instanceof byte[]) {
            throw refused(key);
        }
        String text = key instanceof String given ? given : ResourceKey.text(key);
        String compared = texts == TextComparison.PADDED ? text.replaceFirst(" +\\z", "") : text;
        if (column.precision() > 0 && compared.codePointCount(0, compared.length()) > column.precision()) {
            throw column.unfit("the key '" + compared + "' would be cut to " + column.precision() + " characters");
        }
        return new Key(compared, ResourceKey.text(compared));
    }

    private Key uuid(Object key) {
        try {
            UUID id = key instanceof String text ? UUID.fromString(text) : key instanceof UUID given ? given : null;
            if (id != null) {
                return new Key(id, ResourceKey.text(id));
            }
        } catch (IllegalArgumentException e) {
            // not the text of a UUID
        }
        throw refused(key);
    }

    private Key bytes(Object key) {
        if (!(key instanceof byte[] bytes)) {
            throw refused(key);
        }
        if (column.isFixed()
                && column.precision() > 0
                && column.precision() <= 8000
                && bytes.length != column.precision()) {
            throw column.unfit("it would pad a key of " + bytes.length + " bytes to " + column.precision());
        }
        if (column.precision() > 0 && bytes.length > column.precision()) {
            throw column.unfit("a key of " + bytes.length + " bytes would be cut to " + column.precision());
        }
        return new Key(bytes, ResourceKey.text(bytes));
    }

    private IllegalArgumentException refused(Object key) {
        return column.unfit("a key of type " + key.getClass().getTypeName()
                + (key instanceof String ? " that reads '" + key + "'" : "")
                + " cannot be compared with it in the same way on every database");
    }
}
