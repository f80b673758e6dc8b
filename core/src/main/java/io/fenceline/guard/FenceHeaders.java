package io.fenceline.guard;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Encodes a stamp as two headers of a request or a message, in visible ASCII.
 *
 * <pre>
 * Fenceline-Lock: invoice:42
 * Fenceline-Token: 000000000000034
 * </pre>
 *
 * <p>The lock key is percent-encoded UTF-8; the token has 15 digits. Both headers are required together. Half a stamp, a
 * repeated header and an unreadable value are errors. A stamp is no credential: authorize writers separately.
 */
public final class FenceHeaders {

    /** The header with the lock key. */
    public static final String LOCK = "Fenceline-Lock";

    /** The header with the token. */
    public static final String TOKEN = "Fenceline-Token";

    /** The name of {@link #LOCK} where names are Java identifiers, as those of JMS properties. */
    public static final String LOCK_PROPERTY = "Fenceline_Lock";

    /** The name of {@link #TOKEN} where names are Java identifiers, as those of JMS properties. */
    public static final String TOKEN_PROPERTY = "Fenceline_Token";

    private FenceHeaders() {}

    /**
     * Returns a stamp's headers.
     *
     * @param stamp the writer's key and token
     * @return the two headers
     */
    public static Map<String, String> of(FenceStamp stamp) {
        Map<String, String> headers = new LinkedHashMap<>();
        inject(stamp, headers::put);
        return headers;
    }

    /**
     * Sets a stamp's headers.
     *
     * @param stamp the writer's key and token
     * @param headers sets a header, replacing one of the same name
     */
    public static void inject(FenceStamp stamp, BiConsumer<String, String> headers) {
        headers.accept(LOCK, KeyText.of(stamp.key()));
        headers.accept(TOKEN, stamp.token().text());
    }

    /**
     * Reads a stamp from headers that have one value each. Names are case-insensitive.
     *
     * @param headers values by name
     * @return the stamp, or empty if both headers are absent
     * @throws MalformedStampException if one is absent, repeated or unreadable
     */
    public static Optional<FenceStamp> read(Map<String, String> headers) {
        return stamp(called(LOCK, headers, List::of), called(TOKEN, headers, List::of));
    }

    /**
     * Reads a stamp from headers that have several values each. Names are case-insensitive.
     *
     * @param headers values by name
     * @return the stamp, or empty if both headers are absent
     * @throws MalformedStampException if one is absent, repeated or unreadable
     */
    public static Optional<FenceStamp> readAll(Map<String, ? extends Collection<String>> headers) {
        return stamp(called(LOCK, headers, values -> values), called(TOKEN, headers, values -> values));
    }

    /**
     * Reads a stamp through a lookup by name, for headers with one value each.
     *
     * @param headers returns a header's value, or null if it is absent
     * @return the stamp, or empty if both headers are absent
     * @throws MalformedStampException if one is absent or unreadable
     */
    public static Optional<FenceStamp> read(Function<String, @Nullable String> headers) {
        return stamp(list(headers.apply(LOCK)), list(headers.apply(TOKEN)));
    }

    /**
     * Reads a stamp through a lookup by name, for headers with several values each.
     *
     * @param headers returns a header's values, none if it is absent
     * @return the stamp, or empty if both headers are absent
     * @throws MalformedStampException if one is absent, repeated or unreadable
     */
    public static Optional<FenceStamp> readAll(Function<String, ? extends Collection<String>> headers) {
        return stamp(headers.apply(LOCK), headers.apply(TOKEN));
    }

    private static List<String> list(@Nullable String value) {
        return value == null ? List.of() : List.of(value);
    }

    private static <V> List<String> called(
            String name, Map<String, V> headers, Function<V, Collection<String>> values) {
        List<String> found = new ArrayList<>();
        headers.forEach((key, value) -> {
            if (name.equalsIgnoreCase(key)) {
                found.addAll(values.apply(value));
            }
        });
        return found;
    }

    private static Optional<FenceStamp> stamp(Collection<String> locks, Collection<String> tokens) {
        Optional<String> lock = single(LOCK, locks);
        Optional<String> token = single(TOKEN, tokens);
        if (lock.isEmpty() && token.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new FenceStamp(
                parsed(LOCK, present(LOCK, lock, TOKEN), KeyText::parse),
                parsed(TOKEN, present(TOKEN, token, LOCK), FenceHeaders::token)));
    }

    private static Optional<String> single(String name, Collection<String> values) {
        if (values.size() > 1) {
            throw new MalformedStampException(
                    name, String.join(", ", values), "is there " + values.size() + " times; a write carries one stamp");
        }
        return values.stream().findFirst();
    }

    private static String present(String name, Optional<String> value, String other) {
        return value.orElseThrow(() ->
                new MalformedStampException(name, "", "is absent, but " + other + " is there; a stamp needs both"));
    }

    private static <T> T parsed(String name, String text, Function<String, T> parser) {
        if (text.isEmpty()) {
            throw new MalformedStampException(name, text, "is empty");
        }
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new MalformedStampException(name, text, String.valueOf(e.getMessage()));
        }
    }

    private static FencingToken token(String text) {
        try {
            return FencingToken.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "is not a token: " + FencingToken.DIGITS + " digits, from 1 to " + FencingToken.MAX_VALUE, e);
        }
    }
}
