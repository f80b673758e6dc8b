package io.fenceline;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;

/**
 * The name of what is locked.
 *
 * <p>A key is any text of 1 to {@value #MAX_BYTES} bytes of UTF-8, counted after normalisation to Unicode NFC: composed
 * and decomposed forms of one text are one key. Nothing is trimmed or folded. A lone surrogate, which UTF-8 cannot
 * express, and the NUL character, which some stores cannot keep, are refused.
 *
 * @param value the key in NFC
 */
public record LockKey(String value) {

    /** The longest key, in bytes of UTF-8. */
    public static final int MAX_BYTES = 512;

    /**
     * Checks and normalises the key.
     *
     * @throws IllegalArgumentException if the key is empty, too long, or holds a lone surrogate or NUL
     */
    public LockKey {
        if (!isPlainAscii(value)) {
            value = checked(value);
        }
    }

    /**
     * Returns the key with this name.
     *
     * @param value the name, in any Unicode normal form
     * @return the key
     * @throws IllegalArgumentException if the name breaks the rules of {@link LockKey}
     */
    public static LockKey of(String value) {
        return new LockKey(value);
    }

    /** Returns the key's text. */
    @Override
    public String toString() {
        return value;
    }

    /** Most keys are short ASCII, which is its own NFC and has as many bytes as characters. */
    private static boolean isPlainAscii(String value) {
        int length = value.length();
        if (length == 0 || length > MAX_BYTES) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            if (c == 0 || c > 127) {
                return false;
            }
        }
        return true;
    }

    private static String checked(String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("lock key is empty; a key has 1 to " + MAX_BYTES + " bytes of UTF-8");
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == 0) {
                throw new IllegalArgumentException("lock key has a NUL character at index " + i);
            }
            if (Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                throw new IllegalArgumentException(
                        "lock key has a lone surrogate (U+" + Integer.toHexString(c) + ") at index " + i);
            }
        }
        String composed = Normalizer.normalize(value, Normalizer.Form.NFC);
        int bytes = composed.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException("lock key has " + bytes + " bytes of UTF-8, at most " + MAX_BYTES
                    + " are allowed: starts with '" + composed.substring(0, composed.offsetByCodePoints(0, 16)) + "'");
        }
        return composed;
    }
}
