package io.fenceline.testkit.sim;

/** Promises that one kind of history must keep. It sees the lines in order and keeps what it needs of them. */
interface Rule {

    /**
     * Looks at the next line.
     *
     * @throws Broken if it breaks a promise
     */
    void see(HistoryEntry line);

    static void require(boolean kept, String promise, String explanation) {
        if (!kept) {
            throw new Broken(promise, explanation);
        }
    }

    /** A promise was broken. */
    @SuppressWarnings("serial")
    final class Broken extends RuntimeException {
        private final String promise;
        private final String explanation;

        Broken(String promise, String explanation) {
            super(promise + ": " + explanation);
            this.promise = promise;
            this.explanation = explanation;
        }

        Violation at(int line) {
            return new Violation(promise, explanation, line);
        }
    }
}
