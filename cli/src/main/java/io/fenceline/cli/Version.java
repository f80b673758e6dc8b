package io.fenceline.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version, and the commit, that the build wrote into {@code build.properties}; the Java and the system that run it. */
final class Version implements IVersionProvider {

    private static final int COMMIT_LENGTH = 12;

    Version() {}

    @Override
    public String[] getVersion() {
        return new String[] {
            "fenceline " + build("version"),
            commit(build("commit")),
            "Java " + System.getProperty("java.runtime.version") + " (" + System.getProperty("java.vendor") + "), "
                    + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                    + System.getProperty("os.arch")
        };
    }

    /** Returns a fact of the build; empty if it was not known. */
    static String build(String fact) {
        Properties build = new Properties();
        try (InputStream file = Version.class.getResourceAsStream("build.properties")) {
            build.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return build.getProperty(fact, "");
    }

    private static String commit(String commit) {
        return commit.length() < COMMIT_LENGTH
                ? "built outside of a git repository"
                : "commit " + commit.substring(0, COMMIT_LENGTH) + " of " + build("date")
                        + (build("changed").equals("true") ? ", with changes" : "");
    }
}
