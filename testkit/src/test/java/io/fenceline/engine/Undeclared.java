package io.fenceline.engine;

/** Throws checked exceptions as languages without them do. */
final class Undeclared {

    private Undeclared() {}

    static void thrown(Throwable failure) {
        Undeclared.<RuntimeException>as(failure);
    }

    @SuppressWarnings("unchecked")
    private static <X extends Throwable> void as(Throwable failure) throws X {
        throw (X) failure;
    }
}
