package io.fenceline.cli.process;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Forwards this JVM's signals to a child.
 *
 * <p>HUP, INT, TERM, USR1, USR2, WINCH and CONT go to the child's group unchanged. CONT follows the first three, because a stopped
 * child would not react to them. TSTP (Ctrl-Z) stops the group and then this JVM, so that the shell gets its terminal back; the
 * child's deadline does not move. A signal that was ignored when this JVM started (as under nohup) stays ignored. QUIT cannot be
 * forwarded: the JVM reserves it for thread dumps.
 *
 * <p>Install it right before the child is started. From then on these signals do not end this JVM, and early ones reach the child
 * as soon as it runs.
 */
public final class SignalForwarding {
    private static final List<String> ENDING = List.of("HUP", "INT", "TERM");
    private static final List<String> OTHERS = List.of("USR1", "USR2", "WINCH", "CONT");

    private final CompletableFuture<ChildProcess> child = new CompletableFuture<>();

    private SignalForwarding() {}

    /** Forwards all signals, for the rest of this JVM's life. */
    public static SignalForwarding install() {
        SignalForwarding forwarding = installBesidesEnding();
        ENDING.forEach(name -> take(name, () -> {
            forwarding.forward(name);
            forwarding.forward("CONT");
        }));
        return forwarding;
    }

    /**
     * Forwards all signals but HUP, INT and TERM, which still end this JVM. A later call replaces an earlier one, for another
     * child.
     */
    public static SignalForwarding installBesidesEnding() {
        SignalForwarding forwarding = new SignalForwarding();
        OTHERS.forEach(forwarding::take);
        take("TSTP", forwarding::suspend);
        return forwarding;
    }

    /** Runs {@code reaction} at HUP, INT and TERM from now on: for a command that goes on after its child has ended. */
    public static void replaceEnding(Runnable reaction) {
        ENDING.forEach(name -> take(name, reaction));
    }

    /** Sets the child. No-op if it was set before. */
    public void to(ChildProcess started) {
        child.complete(started);
    }

    private void take(String name) {
        take(name, () -> forward(name));
    }

    private static void take(String name, Runnable reaction) {
        try {
            JvmSignals.handle(name, reaction);
        } catch (UnsupportedOperationException notOurs) {
            // This JVM or system reserves the signal (-Xrs), or lacks it: its default action stays.
        }
    }

    @SuppressWarnings("FutureReturnValueIgnored") // No caller could handle a signal that cannot be sent.
    private void forward(String name) {
        child.thenAccept(started -> started.signal(name));
    }

    private void suspend() {
        forward("STOP");
        ProcessSignal.send("STOP", List.of(ProcessHandle.current().pid()));
    }
}
