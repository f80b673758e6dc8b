package io.fenceline.spi;

import java.util.List;

/** Checks the settings of a live store against the requirements of the guarantees. */
public interface SelfDiagnosis {

    /**
     * Examines the store. Reads only.
     *
     * @return the findings
     */
    List<Finding> diagnose();

    /**
     * The result of one check.
     *
     * @param subject the checked setting, for instance {@code synchronous}
     * @param severity the rating
     * @param detail what was found
     * @param remedy what to do; empty if {@link Severity#OK}
     */
    record Finding(String subject, Severity severity, String detail, String remedy) {

        /**
         * Returns a finding without a problem.
         *
         * @param subject the checked setting
         * @param detail what was found
         * @return the finding
         */
        public static Finding ok(String subject, String detail) {
            return new Finding(subject, Severity.OK, detail, "");
        }
    }

    /** The rating of a finding. */
    enum Severity {
        /** No problem. */
        OK,
        /** A promise may be weaker than documented. */
        WARNING,
        /** A promise does not hold, or the store cannot be used. */
        PROBLEM
    }
}
