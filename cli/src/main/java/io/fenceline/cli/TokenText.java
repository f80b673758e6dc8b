package io.fenceline.cli;

import io.fenceline.FencingToken;

/** Fencing tokens as people write them. */
final class TokenText {

    private TokenText() {}

    /**
     * Reads a token with or without its leading zeros.
     *
     * @throws IllegalArgumentException if it is no number or out of range
     */
    static FencingToken parse(String text) {
        if (text.isEmpty()
                || text.length() > FencingToken.DIGITS
                || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IllegalArgumentException("'" + text + "' is not a fencing token; write a number of up to "
                    + FencingToken.DIGITS + " digits");
        }
        return FencingToken.of(Long.parseLong(text));
    }
}
