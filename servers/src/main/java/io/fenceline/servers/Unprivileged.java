package io.fenceline.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a program that refuses to run as root: as it is for everybody else; for root in a user namespace without root, or where
 * that is forbidden as another user.
 *
 * @param prefix what comes before the command
 * @param owner to whom the program's files must belong; empty if to the user of this JVM
 */
record Unprivileged(List<String> prefix, String owner) {

    private static final String NOBODY = "65534";

    static Unprivileged ofThisUser() {
        if (!isRoot()) {
            return new Unprivileged(List.of(), "");
        }
        if (Command.succeeds("unshare", "-U", "true")) {
            return new Unprivileged(List.of("unshare", "-U"), "");
        }
        return new Unprivileged(
                List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"), NOBODY + ":" + NOBODY);
    }

    List<String> command(List<String> command) {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(command);
        return all;
    }

    /** Makes the program the owner of a folder and of all in it. */
    void own(Path folder) {
        if (!owner.isEmpty()) {
            Command.run("chown", "-R", owner, folder.toString());
        }
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        } catch (IOException | UnsupportedOperationException notLinux) {
            return false;
        }
    }
}
