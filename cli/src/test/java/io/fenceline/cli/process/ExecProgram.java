package io.fenceline.cli.process;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** What {@code fenceline exec} does with a child, without a lock: {@code ExecProgram TERM_MS KILL_MS COMMAND…}. */
final class ExecProgram {
    private ExecProgram() {}

    public static void main(String[] words) throws Exception {
        BootClock clock = BootClock.ofThisMachine();
        Duration termIn = Duration.ofMillis(Long.parseLong(words[0]));
        Duration killIn = Duration.ofMillis(Long.parseLong(words[1]));
        ChildDeadline deadline =
                termIn.isZero() ? ChildDeadline.never() : ChildDeadline.after(clock.now(), termIn, killIn);
        ChildCommand command =
                new ChildCommand(List.of(words).subList(2, words.length), Map.of("FENCELINE_TOKEN", "7"));
        SignalForwarding signals = SignalForwarding.install();
        try (ChildProcess child = ChildProcess.start(command, clock, deadline)) {
            signals.to(child);
            System.exit(child.waitFor());
        } catch (CommandStartException e) {
            System.err.println("fenceline: " + e.getMessage());
            System.exit(e.exitStatus());
        }
    }
}
