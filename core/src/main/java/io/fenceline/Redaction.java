package io.fenceline;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Hides lock keys and lock ids behind a keyed hash, the first 96 bits of HMAC-SHA-256. Equal texts have equal hashes, and without
 * the secret a text cannot be found by trial.
 */
public final class Redaction {

    private final SecretKeySpec secret;

    private Redaction(byte[] secret) {
        this.secret = new SecretKeySpec(secret, "HmacSHA256");
    }

    /**
     * Returns a redaction with a new random secret. Its hashes are comparable only with each other.
     *
     * @return the redaction
     */
    public static Redaction withRandomSecret() {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        return new Redaction(secret);
    }

    /**
     * Returns a redaction with a shared secret, so that several processes hash alike.
     *
     * @param secret at least 16 bytes
     * @return the redaction
     * @throws IllegalArgumentException if the secret is shorter
     */
    public static Redaction withSecret(byte[] secret) {
        if (secret.length < 16) {
            throw new IllegalArgumentException("secret has " + secret.length + " bytes, at least 16 are needed");
        }
        return new Redaction(secret.clone());
    }

    /**
     * Hashes a text.
     *
     * @param text a lock key or a lock id
     * @return 24 hexadecimal digits
     */
    public String hash(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(secret);
            byte[] whole = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(Arrays.copyOf(whole, 12));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform must offer HmacSHA256", e);
        }
    }
}
