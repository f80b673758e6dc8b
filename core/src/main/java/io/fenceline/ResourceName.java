package io.fenceline;

/**
 * The name of a resource that a guard protects: a row, a document, a stream, an endpoint. It follows the rules of {@link LockKey},
 * and may equal the key of its lock.
 *
 * @param value 1 to {@value LockKey#MAX_BYTES} bytes of UTF-8, in NFC
 */
public record ResourceName(String value) {

    /**
     * Checks and normalises the name.
     *
     * @throws IllegalArgumentException if the name is empty, too long, or holds a lone surrogate, NUL or an unassigned code point
     */
    public ResourceName {
        value = NameRules.normalised("resource name", value);
    }

    /**
     * Returns the name with this text.
     *
     * @param value the text, in any Unicode normal form
     * @return the name
     * @throws IllegalArgumentException if the text breaks the rules
     */
    public static ResourceName of(String value) {
        return new ResourceName(value);
    }

    /** Returns the name's text. */
    @Override
    public String toString() {
        return value;
    }
}
