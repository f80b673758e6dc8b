package io.fenceline;

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
    public static final int MAX_BYTES = NameRules.MAX_BYTES;

    /**
     * Checks and normalises the key.
     *
     * @throws IllegalArgumentException if the key is empty, too long, or holds a lone surrogate or NUL
     */
    public LockKey {
        value = NameRules.normalised("lock key", value);
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
}
