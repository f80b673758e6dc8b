package io.fenceline;

import static java.util.Objects.requireNonNull;

/**
 * A number that grows with every grant of a lock key, so that a resource can refuse superseded holders.
 *
 * <p>Tokens are compared within one lock key only. They are not consecutive. The text form has {@value #DIGITS} digits with
 * leading zeros, so that the order of texts is the order of numbers.
 *
 * @param value the number, from 1 to {@value #MAX_VALUE}
 */
public record FencingToken(long value) implements Comparable<FencingToken> {

    /** The number of digits of the text form. */
    public static final int DIGITS = 15;

    /** The greatest token; an acquire that would need a greater one fails before it writes. */
    public static final long MAX_VALUE = 900_000_000_000_000L;

    /** The token above which every grant emits a warning event. */
    public static final long WARNING_VALUE = 90_000_000_000_000L;

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if the value is below 1 or above {@link #MAX_VALUE}
     */
    public FencingToken {
        if (value < 1 || value > MAX_VALUE) {
            throw new IllegalArgumentException("fencing token " + value + " is not from 1 to " + MAX_VALUE);
        }
    }

    /**
     * Returns the token with this number.
     *
     * @param value from 1 to {@link #MAX_VALUE}
     * @return the token
     */
    public static FencingToken of(long value) {
        return new FencingToken(value);
    }

    /**
     * Reads the text form.
     *
     * @param text exactly 15 digits
     * @return the token
     * @throws IllegalArgumentException if the text is anything else or out of range
     */
    public static FencingToken parse(String text) {
        requireNonNull(text, "text");
        if (text.length() != DIGITS || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IllegalArgumentException("not a fencing token: '" + text + "'; a token is " + DIGITS + " digits");
        }
        return new FencingToken(Long.parseLong(text));
    }

    /**
     * Returns the text form.
     *
     * @return 15 digits
     */
    public String text() {
        String digits = Long.toString(value);
        return "0".repeat(DIGITS - digits.length()) + digits;
    }

    /**
     * Returns whether this token supersedes the other. Only tokens of the same lock key may be compared.
     *
     * @param other another token of the same key
     * @return whether this one was granted later
     */
    public boolean isNewerThan(FencingToken other) {
        return value > other.value;
    }

    /**
     * Returns whether the key is running out of tokens.
     *
     * @return whether the token is above {@link #WARNING_VALUE}
     */
    public boolean isNearLimit() {
        return value > WARNING_VALUE;
    }

    @Override
    public int compareTo(FencingToken other) {
        return Long.compare(value, other.value);
    }

    /** Returns {@link #text()}. */
    @Override
    public String toString() {
        return text();
    }
}
