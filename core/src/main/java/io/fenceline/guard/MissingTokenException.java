package io.fenceline.guard;

/** A write came without a stamp to a resource that wants one. */
public final class MissingTokenException extends RefusedWriteException {

    /**
     * Creates the exception.
     *
     * @param resource what was to be written
     * @param remedy how the writer gives its stamp here, for instance which header to send
     */
    public MissingTokenException(String resource, String remedy) {
        super(resource, "write to '" + resource + "' without a fencing token is refused: " + remedy);
    }
}
