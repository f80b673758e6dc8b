package io.fenceline;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The name of one acquisition: 128 random bits, made by the caller <em>before</em> it asks and never used for another.
 *
 * <p>The lock id is what ownership is decided by. Since the caller knows it before the request is sent, a request whose
 * reply was lost can be repeated and is answered with the same grant.
 *
 * @param high the first 64 bits
 * @param low the last 64 bits
 */
public record LockId(long high, long low) {

    /** The length of the text form. */
    public static final int TEXT_LENGTH = 22;

    private static final SecureRandom RANDOM = new SecureRandom();

    /**
     * Returns a lock id that nobody has used.
     *
     * @return 128 bits of a cryptographically strong generator
     */
    public static LockId random() {
        byte[] bits = new byte[16];
        RANDOM.nextBytes(bits);
        return of(bits);
    }

    /**
     * Reads the text form.
     *
     * @param text 22 characters of unpadded base64url
     * @return the lock id that {@link #text()} writes as this text
     * @throws IllegalArgumentException if the text is anything else
     */
    public static LockId parse(String text) {
        if (text.length() == TEXT_LENGTH) {
            try {
                LockId id = of(Base64.getUrlDecoder().decode(text));
                if (id.text().equals(text)) {
                    return id;
                }
            } catch (IllegalArgumentException notBase64) {
                // told below, with the text
            }
        }
        throw new IllegalArgumentException("not a lock id: '" + text + "'; a lock id is 16 bytes as " + TEXT_LENGTH
                + " characters of unpadded base64url");
    }

    private static LockId of(byte[] bits) {
        ByteBuffer buffer = ByteBuffer.wrap(bits);
        return new LockId(buffer.getLong(), buffer.getLong());
    }

    /**
     * Returns the text form.
     *
     * @return 22 characters of unpadded base64url
     */
    public String text() {
        byte[] bytes = ByteBuffer.allocate(16).putLong(high).putLong(low).array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Returns {@link #text()}. */
    @Override
    public String toString() {
        return text();
    }
}
