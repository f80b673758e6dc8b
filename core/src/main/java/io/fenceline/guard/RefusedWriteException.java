package io.fenceline.guard;

/** A guard refused a write or a claim. Nothing was written. */
public abstract sealed class RefusedWriteException extends RuntimeException
        permits StaleTokenException, ForeignTokenException, MissingTokenException {

    private final String resource;

    RefusedWriteException(String resource, String message) {
        super(message);
        this.resource = resource;
    }

    /**
     * Returns the resource.
     *
     * @return the resource's name
     */
    public String resource() {
        return resource;
    }
}
