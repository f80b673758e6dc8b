package io.fenceline;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Locale;

/** Common rules of lock keys and resource names. */
final class NameRules {

    static final int MAX_BYTES = 512;

    /** Returns the name in NFC, or throws with the reason. */
    static String normalised(String what, String value) {
        requireNonNull(value, what);
        return isPlainAscii(value) ? value : checked(what, value);
    }

    /** Fast path: short ASCII is its own NFC, with one byte per character. */
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

    private static String checked(String what, String value) {
        if (value.isEmpty()) {
            throw new IllegalArgumentException(what + " is empty; it has 1 to " + MAX_BYTES + " bytes of UTF-8");
        }
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == 0) {
                throw new IllegalArgumentException(what + " has a NUL character at index " + i);
            }
            int codePoint = value.codePointAt(i);
            if (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) {
                throw new IllegalArgumentException(
                        what + String.format(Locale.ROOT, " has a lone surrogate (U+%04X) at index %d", codePoint, i));
            }
            if (mayBeAssignedLater(codePoint)) {
                throw new IllegalArgumentException(what
                        + String.format(Locale.ROOT, " has the code point U+%04X at index %d", codePoint, i)
                        + ", which is not assigned in the version of Unicode that Java "
                        + Runtime.version().feature()
                        + " knows: newer versions may compose it with others, and one name would be two; leave it out, or"
                        + " use a newer Java in all processes");
            }
            i += Character.charCount(codePoint) - 1;
        }
        String composed = Normalizer.normalize(value, Normalizer.Form.NFC);
        int bytes = composed.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException(what + " has " + bytes + " bytes of UTF-8, at most " + MAX_BYTES
                    + " are allowed: starts with '" + composed.substring(0, composed.offsetByCodePoints(0, 16)) + "'");
        }
        return composed;
    }

    /** Returns whether a later version of Unicode may assign a code point. Normalization is stable for assigned ones and
     * noncharacters. */
    private static boolean mayBeAssignedLater(int codePoint) {
        boolean noncharacter = (codePoint & 0xFFFE) == 0xFFFE || (codePoint >= 0xFDD0 && codePoint <= 0xFDEF);
        return Character.getType(codePoint) == Character.UNASSIGNED && !noncharacter;
    }

    private NameRules() {}
}
