package io.fenceline.cli.process;

import java.util.List;
import java.util.Optional;

/** The words that run the program behind them in a session of its own, under their own process id. */
final class SessionLeader {

    /** On the path, and where it is on nearly every system: a path that lacks it must not cost the watchdog. */
    private static final List<String> SETSID = List.of("setsid", "/usr/bin/setsid", "/bin/setsid");

    private SessionLeader() {}

    /**
     * setsid where there is one, else perl, else nothing.
     *
     * <p>Both keep their process id unless they lead a process group already (setsid then forks, perl fails), and
     * a process that the JDK has just started leads none.
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
            Command.of(program).program();
            return true;
        } catch (CommandException absent) {
            return false;
        }
    }
}
