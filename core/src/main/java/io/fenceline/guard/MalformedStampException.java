package io.fenceline.guard;

/** A header that should carry a part of a stamp does not: a mistake of whoever sent it, or of something in between. */
public final class MalformedStampException extends IllegalArgumentException {

    private static final int SHOWN = 80;

    private final String header;
    private final String value;

    /**
     * Creates the exception.
     *
     * @param header the header's name
     * @param value what it says, empty if it is absent
     * @param fault what is wrong with it, and what it should be
     */
    public MalformedStampException(String header, String value, String fault) {
        super("header " + header + " " + (value.isEmpty() ? "" : "'" + printable(value) + "' ") + fault);
        this.header = header;
        this.value = value;
    }

    /** The value comes from outside, and the message may go to a log: it stays short and on its line. */
    private static String printable(String value) {
        String shown = value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "…";
        return shown.replaceAll("\\p{Cntrl}", "?");
    }

    /**
     * Returns which header is wrong.
     *
     * @return its name
     */
    public String header() {
        return header;
    }

    /**
     * Returns what the header says.
     *
     * @return its value as it came, empty if it is absent
     */
    public String value() {
        return value;
    }
}
