package io.fenceline;

import static java.util.Objects.requireNonNull;

import java.text.Normalizer;

/**
 * The name of a lock.
 *
 * <p>A key is any text of 1 to {@value #MAX_BYTES} bytes of UTF-8, counted after normalisation to Unicode NFC: composed
 * and decomposed forms of one text are one key. Keys are not trimmed or case-folded. Not allowed are lone surrogates, which
 * UTF-8 cannot express; the NUL character, which some stores cannot store; and code points that are not assigned in this Java's
 * version of Unicode: a newer version may normalize them differently, and one key would be two.
 *
 * @param value the key in NFC
 */
public record LockKey(String value) {

    /** The longest key, in bytes of UTF-8. */
    public static final int MAX_BYTES = NameRules.MAX_BYTES;

    /**
     * Checks and normalises the key.
     *
     * @throws IllegalArgumentException if the key is empty, too long, or holds a lone surrogate, NUL or an unassigned code point
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

    /**
     * Normalizes a search prefix to NFC, like keys.
     *
     * @param start the beginning of keys or of resource names, in any Unicode normal form; empty for all
     * @return the same text in NFC
     */
    public static String prefix(String start) {
        return Normalizer.normalize(requireNonNull(start, "start"), Normalizer.Form.NFC);
    }

    /** Returns the key's text. */
    @Override
    public String toString() {
        return value;
    }
}
