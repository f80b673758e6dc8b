package io.fenceline.cli.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;

/** The shell's own {@code kill}, since the JDK sends no signal but TERM and KILL and none to a group. */
public final class KillCommand {

    private KillCommand() {}

    /**
     * Sends a signal and waits until it is sent.
     *
     * @param signal the name of the signal without SIG
     * @param targets process ids, negative ones for process groups
     * @return whether all targets were there
     */
    public static boolean send(String signal, List<Long> targets) {
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", "kill -\"$0\" \"$@\"", signal));
        targets.forEach(target -> words.add(target.toString()));
        try {
            Process kill = new ProcessBuilder(words)
                    .redirectInput(Redirect.from(new File("/dev/null")))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            return ProcessExit.await(kill) == 0;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send SIG" + signal + " to " + targets, e);
        }
    }
}
