package io.fenceline.internal.syncguard;

import java.text.Normalizer;
import java.util.HexFormat;

/**
 * The hash that SyncGuard 2.x shows in place of keys and lock ids: three rolling sums of 32 bits. It is not secret, unlike
 * {@link io.fenceline.Redaction}: use it to match the logs of both systems.
 */
public final class DisplayHash {

    private DisplayHash() {}

    /**
     * Hashes a text.
     *
     * @param text a key or a lock id, in any Unicode normal form
     * @return 24 hexadecimal digits
     */
    public static String of(String text) {
        String normal = Normalizer.normalize(text, Normalizer.Form.NFC);
        int first = 0;
        int second = 0;
        int third = 0;
        for (int i = 0; i < normal.length(); i++) {
            char unit = normal.charAt(i);
            first = 31 * first + unit;
            second = 127 * second + 3 * unit;
            third = 2047 * third + 7 * unit;
        }
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(first) + hex.toHexDigits(second) + hex.toHexDigits(third);
    }
}
