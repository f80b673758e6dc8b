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

    /** Tells the drivers' logging interface that it is to log here, which it would look for in every jar. */
    static void joinDrivers() {
        String property = "slf4j.provider";
        if (System.getProperty(property) == null) {
            System.setProperty(property, "org.slf4j.jul.JULServiceProvider");
            System.setProperty("slf4j.internal.verbosity", "WARN"); // else it prints that it does as it was told
        }
    }
}
