package io.fenceline.guard;

import io.fenceline.ResourceName;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.text.Normalizer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The canonical text of a key that names a row, a document or a message as a resource: equal for keys that a database
 * treats as equal, and the same in every JVM. Other types are refused; {@code toString()} is never used.
 *
 * <table>
 * <caption>Texts by type</caption>
 * <tr><th>type</th><th>text</th></tr>
 * <tr><td>{@code String}, {@code Character}</td><td>itself, in NFC</td></tr>
 * <tr><td>{@code Byte}, {@code Short}, {@code Integer}, {@code Long}, {@code BigInteger}</td><td>decimal digits</td></tr>
 * <tr><td>{@code BigDecimal}</td><td>plain, without trailing zeros: 42.00 is {@code 42}</td></tr>
 * <tr><td>{@code Boolean}</td><td>{@code true} or {@code false}</td></tr>
 * <tr><td>{@code UUID}</td><td>its 36 characters, in lower case</td></tr>
 * <tr><td>{@code byte[]}</td><td>{@code 0x} and two lower-case hexadecimal digits for each byte</td></tr>
 * <tr><td>{@code Enum}</td><td>the constant's name</td></tr>
 * <tr><td>{@code Instant}, {@code OffsetDateTime}, {@code ZonedDateTime}</td><td>the instant in UTC, as ISO 8601</td></tr>
 * <tr><td>{@code LocalDate}, {@code LocalTime}, {@code LocalDateTime}</td><td>ISO 8601</td></tr>
 * </table>
 *
 * <p>Times finer than a microsecond are refused, since most databases round them. Binary floating-point numbers and {@code
 * java.util.Date} with its subclasses have no canonical text.
 */
public final class ResourceKey {

    /** Limit for numbers such as 1E+999999999, whose digits would fill the memory. */
    private static final int MAX_ZEROS = 1_000;

    private static final List<Class<?>> TYPES = List.of(
            String.class,
            Character.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            BigInteger.class,
            BigDecimal.class,
            Boolean.class,
            UUID.class,
            byte[].class,
            Enum.class,
            Instant.class,
            OffsetDateTime.class,
            ZonedDateTime.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class);

    /** Matches the part after the last dot outside of quotes. A part that is not quoted as a whole is taken as it is. */
    private static final Pattern LAST_NAME = Pattern.compile(
            "(?:^|\\.)(?:(?<quoted>\"(?:[^\"]|\"\")+\"|`(?:[^`]|``)+`|\\[(?:[^\\]]|\\]\\])+\\])|(?<plain>[^.]+))\\z");

    private ResourceKey() {}

    /**
     * Returns whether keys of a type have a canonical text.
     *
     * @param type the class of the keys; not a primitive type
     * @return whether {@link #text} accepts them
     */
    public static boolean isSupported(Class<?> type) {
        return TYPES.stream().anyMatch(supported -> supported.isAssignableFrom(type));
    }

    /**
     * Returns the canonical text of a key.
     *
     * @param key the key
     * @return its text
     * @throws IllegalArgumentException if the type has no canonical text, or a time is finer than a microsecond
     */
    public static String text(Object key) {
        if (key instanceof String || key instanceof Character) {
            return Normalizer.normalize(key.toString(), Normalizer.Form.NFC);
        } else if (key instanceof BigDecimal number) {
            return plain(number);
        } else if (key instanceof byte[] bytes) {
            return "0x" + HexFormat.of().formatHex(bytes);
        } else if (key instanceof Enum<?> constant) {
            return constant.name();
        } else if (key instanceof OffsetDateTime time) {
            return text(time.toInstant());
        } else if (key instanceof ZonedDateTime time) {
            return text(time.toInstant());
        } else if (key instanceof Temporal time && isSupported(key.getClass())) {
            return time(time);
        } else if (isSupported(key.getClass())) {
            return key.toString(); // whole numbers, booleans and UUIDs: the JDK specifies their texts
        }
        throw new IllegalArgumentException("a key of type " + key.getClass().getTypeName()
                + " has no canonical text and cannot name a resource; use a string, a whole or decimal number, a boolean, a"
                + " UUID, bytes, an enum constant, or a class of java.time");
    }

    /**
     * Returns the canonical text of a key that consists of several parts. A slash or a percent sign inside a part is
     * escaped, so that different keys have different texts.
     *
     * @param parts the parts, in the order of the columns
     * @return the text of the only part, or the escaped texts of all parts, joined by slashes
     * @throws IllegalArgumentException if there is no part, or one has no canonical text
     */
    public static String text(List<?> parts) {
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a key without parts cannot name a resource");
        } else if (parts.size() == 1) {
            return text(parts.get(0));
        }
        return parts.stream().map(ResourceKey::part).collect(Collectors.joining("/"));
    }

    /**
     * Returns the canonical text of one of several values in a name, in which a slash or a percent sign is escaped, so that names whose
     * values are separated by slashes differ if a value does.
     *
     * @param value the value
     * @return its canonical text, escaped
     * @throws IllegalArgumentException if it has no canonical text
     */
    public static String part(Object value) {
        return text(value).replace("%", "%25").replace("/", "%2F");
    }

    /**
     * Returns the resource name of a row, the same in every guard: the table's name without its schema and without quotes, in lower case, a
     * slash, and the text of the key. Tables of the same name in two schemas share their names.
     *
     * @param table the table as SQL or a mapping writes it
     * @param key the row's key, or a list of its parts in the order of the columns
     * @return the name, {@code orders/42} for instance
     * @throws IllegalArgumentException if the key has no canonical text, or the name breaks the rules of {@link ResourceName}:
     *     with more than 512 bytes of UTF-8 for instance, where triggers refuse the row too
     */
    public static String row(String table, Object key) {
        String text = key instanceof List<?> parts ? text(parts) : text(key);
        return ResourceName.of(table(table) + '/' + text).value();
    }

    /**
     * Returns the part of a resource's name that names the table.
     *
     * @param name the table as SQL or a mapping writes it
     * @return its own name: without its schema and its quotes, in lower case
     */
    public static String table(String name) {
        Matcher last = LAST_NAME.matcher(name);
        if (!last.find()) {
            return name.toLowerCase(Locale.ROOT);
        }
        String quoted = last.group("quoted");
        return (quoted == null ? last.group("plain") : unquoted(quoted)).toLowerCase(Locale.ROOT);
    }

    private static String unquoted(String quoted) {
        String end = quoted.substring(quoted.length() - 1);
        return quoted.substring(1, quoted.length() - 1).replace(end + end, end);
    }

    private static String plain(BigDecimal number) {
        if (Math.abs((long) number.scale()) > MAX_ZEROS) {
            throw new IllegalArgumentException(
                    "the number " + number + " has more than " + MAX_ZEROS + " zeros and cannot name a resource");
        }
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }

    private static String time(Temporal time) {
        if (time.isSupported(ChronoField.NANO_OF_SECOND) && time.get(ChronoField.NANO_OF_SECOND) % 1_000 != 0) {
            throw new IllegalArgumentException(
                    "the time " + time + " is finer than a microsecond, which most databases round; truncate it");
        }
        return time.toString();
    }
}
