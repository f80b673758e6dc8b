package io.fenceline.cli;

/**
 * Configures {@code java.util.logging} to print nothing: what a user has to know is told in one line of ours, and libraries
 * log stack traces of failures that do not concern anybody (two processes that clean up one temporary folder).
 */
public final class NoLogging {

    /** Configures nothing, so that there is no handler; called by {@code java.util.logging}. */
    public NoLogging() {}

    /** Has the logging of this JVM configured by this class, if nobody has used or configured it yet. */
    static void install() {
        String property = "java.util.logging.config.class";
        if (System.getProperty(property) == null) {
            System.setProperty(property, NoLogging.class.getName());
        }
    }
}
