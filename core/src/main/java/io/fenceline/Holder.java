package io.fenceline;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The name of a lock holder, for display. It never decides ownership.
 *
 * @param text 1 to {@value #MAX_LENGTH} characters without control characters
 */
public record Holder(String text) {

    /** The longest text, in UTF-16 characters. */
    public static final int MAX_LENGTH = 255;

    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if the text is empty, too long, or has a control character or a lone surrogate
     */
    public Holder {
        requireNonNull(text, "text");
        if (text.isEmpty() || text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "holder has " + text.length() + " characters, 1 to " + MAX_LENGTH + " are allowed");
        }
        text.codePoints()
                .filter(c -> Character.isISOControl(c) || (c <= 0xFFFF && Character.isSurrogate((char) c)))
                .findFirst()
                .ifPresent(c -> {
                    throw new IllegalArgumentException(
                            String.format(Locale.ROOT, "holder has a control character or lone surrogate (U+%04X)", c));
                });
    }

    /**
     * Returns the holder with this text.
     *
     * @param text see {@link Holder}
     * @return the holder
     */
    public static Holder of(String text) {
        return new Holder(text);
    }

    /**
     * Returns this process as a holder: {@code host:pid}.
     *
     * @return the holder that {@link LockOptions#defaults()} names
     */
    public static Holder ofThisProcess() {
        return new Holder(hostName() + ":" + ProcessHandle.current().pid());
    }

    /** Reads the host name from a file on Linux; elsewhere from the name service, which is slow. */
    private static String hostName() {
        String name = "";
        try {
            name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException notLinux) {
            try {
                name = InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException nameless) {
                // falls back to localhost
            }
        }
        return name.isEmpty() ? "localhost" : name.substring(0, Math.min(name.length(), 200));
    }

    /** Returns the text. */
    @Override
    public String toString() {
        return text;
    }
}
