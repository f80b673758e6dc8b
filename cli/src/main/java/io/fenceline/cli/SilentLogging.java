package io.fenceline.cli;

/**
 * Configures {@code java.util.logging} to print nothing. Errors are printed in one line of our own; libraries would add stack
 * traces of failures that do not matter, such as two processes that clean up one temporary folder.
 */
public final class SilentLogging {

    /** Called by {@code java.util.logging}; installs no handler. */
    public SilentLogging() {}

    /** Makes this class configure the JVM's logging, unless a configuration is set. */
    static void install() {
        String property = "java.util.logging.config.class";
        if (System.getProperty(property) == null) {
            System.setProperty(property, SilentLogging.class.getName());
        }
    }

    /** Selects the provider of the drivers' SLF4J, which would otherwise search every jar for one. */
    static void redirectDrivers() {
        String property = "slf4j.provider";
        if (System.getProperty(property) == null) {
            System.setProperty(property, "org.slf4j.jul.JULServiceProvider");
            System.setProperty("slf4j.internal.verbosity", "WARN"); // else it prints that it obeys
        }
    }
}
