package io.fenceline;

/** The state of the store after a failed operation, as far as it is known. */
public enum Effect {
    /** Nothing was changed. */
    NONE,
    /**
     * The change may have happened or may still happen: the request was sent and no reply came. Retrying under the same lock
     * id is safe.
     */
    UNKNOWN
}
