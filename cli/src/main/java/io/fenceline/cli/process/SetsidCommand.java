package io.fenceline.cli.process;

import java.util.List;
import java.util.Optional;

/** Finds a command prefix that runs a program in a session of its own, under the same process id. */
final class SetsidCommand {

    /** Searched in PATH and at its usual places: an unusual PATH must not cost the watchdog. */
    private static final List<String> SETSID = List.of("setsid", "/usr/bin/setsid", "/bin/setsid");

    private SetsidCommand() {}

    /**
     * Returns setsid, else perl, else nothing.
     *
     * <p>Both keep their process id unless they already lead a process group (setsid then forks, perl fails). A process that the
     * JDK has just started leads none.
     */
    static Optional<List<String>> words() {
        for (String setsid : SETSID) {
            if (exists(setsid)) {
                return Optional.of(List.of(setsid));
            }
        }
        return exists("perl")
                ? Optional.of(List.of("perl", "-e", "use POSIX; POSIX::setsid() > 0 and exec @ARGV; exit 126"))
                : Optional.empty();
    }

    private static boolean exists(String program) {
        try {
            ChildCommand.of(program).program();
            return true;
        } catch (CommandStartException absent) {
            return false;
        }
    }
}
