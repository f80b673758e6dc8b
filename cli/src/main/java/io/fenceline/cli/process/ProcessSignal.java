package io.fenceline.cli.process;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;

/** Sends signals by the shell's {@code kill}: the JDK sends only TERM and KILL, and none to a group. */
public final class ProcessSignal {

    private ProcessSignal() {}

    /** Sends a signal, named without SIG, and returns whether all targets existed. */
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
