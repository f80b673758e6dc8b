package io.fenceline.guard;

/** A write to a guarded resource has no stamp. */
public final class MissingTokenException extends RefusedWriteException {

    /**
     * Creates the exception.
     *
     * @param resource the resource
     * @param remedy how to send a stamp, for instance the headers
     */
    public MissingTokenException(String resource, String remedy) {
        super(resource, "write to '" + resource + "' without a fencing token is refused: " + remedy);
    }
}
