package io.fenceline.cli.output;

import io.fenceline.FencingToken;

/** Parses fencing tokens from the command line. */
public final class TokenText {

    private TokenText() {}

    /**
     * Parses a token with or without leading zeros.
     *
     * @throws IllegalArgumentException if it is no number or out of range
     */
    public static FencingToken parse(String text) {
        if (text.isEmpty()
                || text.length() > FencingToken.DIGITS
                || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IllegalArgumentException("'" + text + "' is not a fencing token; write a number of up to "
                    + FencingToken.DIGITS + " digits");
        }
        return FencingToken.of(Long.parseLong(text));
    }
}
