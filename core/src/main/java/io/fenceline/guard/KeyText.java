package io.fenceline.guard;

import io.fenceline.LockKey;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Percent-encodes lock keys as visible ASCII. Letters, digits and {@code -._~:/@} stay unencoded; commas, quotes and spaces do not,
 * so the text has no meaning in header syntax.
 */
final class KeyText {

    private static final String BARE = "-._~:/@";
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final int LONGEST = 3 * LockKey.MAX_BYTES;

    private KeyText() {}

    static String of(LockKey key) {
        StringBuilder text = new StringBuilder();
        for (byte octet : key.value().getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (octet & 0xff);
            if (isBare(c)) {
                text.append(c);
            } else {
                HEX.toHexDigits(text.append('%'), octet);
            }
        }
        return text.toString();
    }

    /** Decodes the output of {@link #of}, and texts with more encoded characters than necessary. */
    static LockKey parse(String text) {
        if (text.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "has " + text.length() + " characters; a lock key takes at most " + LONGEST);
        }
        ByteBuffer octets = ByteBuffer.allocate(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                octets.put(octet(text, i));
                i += 2;
            } else if (isBare(c)) {
                octets.put((byte) c);
            } else {
                throw new IllegalArgumentException(fault(c));
            }
        }
        return LockKey.of(utf8(octets.flip()).toString());
    }

    private static String fault(char c) {
        return c == ','
                ? "holds a comma: two headers were joined, or the lock key is not percent-encoded"
                : String.format("holds the character U+%04X, which has to be percent-encoded", (int) c);
    }

    private static byte octet(String text, int percent) {
        int end = percent + 3;
        if (end > text.length()
                || !HexFormat.isHexDigit(text.charAt(percent + 1))
                || !HexFormat.isHexDigit(text.charAt(percent + 2))) {
            throw new IllegalArgumentException("has a percent sign without two hexadecimal digits behind it");
        }
        return (byte) HexFormat.fromHexDigits(text, percent + 1, end);
    }

    private static CharBuffer utf8(ByteBuffer octets) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(octets);
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("is not UTF-8 when its percent signs are decoded", e);
        }
    }

    private static boolean isBare(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || BARE.indexOf(c) >= 0;
    }
}
