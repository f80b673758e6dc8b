package io.fenceline.cli.process;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Hands the signals that this JVM gets to a child, instead of dying of them.
 *
 * <p>HUP, INT, TERM, USR1, USR2, WINCH and CONT go to the child's group as they are. A CONT follows the first three, since
 * a child that is stopped would not react to them. TSTP (Ctrl-Z) stops the group
 * and then this JVM, so that the shell gets its terminal back; the child's deadline is not put off by that. A
 * signal that was ignored when this JVM started (as under nohup) stays so. QUIT cannot be forwarded: the JVM keeps
 * it for its thread dump, and would give up INT and TERM with it ({@code -Xrs}).
 *
 * <p>Install it right before the child is started: from then on these signals do not end this JVM, and those that
 * come too early reach the child when it is there.
 */
public final class SignalForwarding {
    private static final List<String> ENDING = List.of("HUP", "INT", "TERM");
    private static final List<String> OTHERS = List.of("USR1", "USR2", "WINCH", "CONT");

    private final CompletableFuture<ChildProcess> child = new CompletableFuture<>();

    private SignalForwarding() {}

    /** Takes the signals over, for the rest of this JVM's life. */
    public static SignalForwarding install() {
        SignalForwarding forwarding = installBesidesEnding();
        ENDING.forEach(name -> forwarding.take(name, () -> {
            forwarding.forward(name);
            forwarding.forward("CONT");
        }));
        return forwarding;
    }

    /**
     * Takes over all signals but HUP, INT and TERM, which go on ending this JVM. A later one takes them over from an earlier one,
     * for another child.
     */
    public static SignalForwarding installBesidesEnding() {
        SignalForwarding forwarding = new SignalForwarding();
        OTHERS.forEach(forwarding::take);
        forwarding.take("TSTP", forwarding::suspend);
        return forwarding;
    }

    /** Names the child. Without effect if one was named before. */
    public void to(ChildProcess started) {
        child.complete(started);
    }

    private void take(String name) {
        take(name, () -> forward(name));
    }

    private void take(String name, Runnable reaction) {
        try {
            JvmSignals.handle(name, reaction);
        } catch (UnsupportedOperationException notOurs) {
            // This JVM or system does not give the signal away (-Xrs, or no such signal): it acts as it always does.
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // A signal that cannot be sent concerns nobody who could wait.
    private void forward(String name) {
        child.thenAccept(started -> started.signal(name));
    }

    private void suspend() {
        forward("STOP");
        KillCommand.send("STOP", List.of(ProcessHandle.current().pid()));
    }
}
