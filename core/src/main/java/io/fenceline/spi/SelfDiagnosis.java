package io.fenceline.spi;

import java.util.List;

/** The ability of a backend to check a live store's settings against what its promises need. */
public interface SelfDiagnosis {

    /**
     * Examines the store. Reads only.
     *
     * @return one finding for each thing that was looked at
     */
    List<Finding> diagnose();

    /**
     * One thing that was looked at.
     *
     * @param subject what was looked at, for instance {@code synchronous}
     * @param severity how it is
     * @param detail what was found
     * @param remedy what to do about it; empty if it is {@link Severity#OK}
     */
    record Finding(String subject, Severity severity, String detail, String remedy) {

        /**
         * Returns a finding that needs nothing done.
         *
         * @param subject what was looked at
         * @param detail what was found
         * @return the finding
         */
        public static Finding ok(String subject, String detail) {
            return new Finding(subject, Severity.OK, detail, "");
        }
    }

    /** The rating of a finding. */
    enum Severity {
        /** As it should be. */
        OK,
        /** A promise may be weaker than documented. */
        WARNING,
        /** A promise does not hold, or the store cannot be used. */
        PROBLEM
    }
}
