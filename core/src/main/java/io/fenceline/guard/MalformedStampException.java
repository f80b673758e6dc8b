package io.fenceline.guard;

/** A stamp header is missing, repeated or unreadable: an error of the sender or an intermediary. */
public final class MalformedStampException extends IllegalArgumentException {

    private static final int SHOWN = 80;

    private final String header;
    private final String value;

    /**
     * Creates the exception.
     *
     * @param header the header's name
     * @param value its value, empty if absent
     * @param fault what is wrong, and what is expected
     */
    public MalformedStampException(String header, String value, String fault) {
        super("header " + header + " " + (value.isEmpty() ? "" : "'" + printable(value) + "' ") + fault);
        this.header = header;
        this.value = value;
    }

    /** Shortens an untrusted value and removes control characters, for logs. */
    private static String printable(String value) {
        String shown = value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "…";
        return shown.replaceAll("\\p{Cntrl}", "?");
    }

    /**
     * Returns the name of the header.
     *
     * @return its name
     */
    public String header() {
        return header;
    }

    /**
     * Returns the value of the header.
     *
     * @return its raw value, empty if absent
     */
    public String value() {
        return value;
    }
}
