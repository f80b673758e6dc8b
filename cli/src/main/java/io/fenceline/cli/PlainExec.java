package io.fenceline.cli;

import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the plain forms of {@code exec} without picocli, whose model of the arguments takes longer to make than all the rest
 * of a short {@code exec}.
 *
 * <p>It understands options with their values as words of their own, and says so of nothing that picocli would understand
 * otherwise. Whatever is not plain, or is wrong, is left to picocli.
 */
final class PlainExec {

    private PlainExec() {}

    /**
     * Reads the arguments of {@code fenceline}.
     *
     * @return the command, ready to run; null if these arguments are for picocli
     */
    static @Nullable ExecCommand parse(Fenceline root, String... arguments) {
        if (arguments.length == 0 || !arguments[0].equals("exec")) {
            return null;
        }
        try {
            ExecCommand exec = new ExecCommand(root);
            int next = 1;
            while (next + 1 < arguments.length && arguments[next].startsWith("-")) {
                int taken = option(root, exec, arguments[next], arguments[next + 1]);
                if (taken == 0) {
                    return null;
                }
                next += taken;
            }
            return operands(exec, arguments, next) ? exec : null;
        } catch (IllegalArgumentException wrong) {
            return null;
        }
    }

    /** KEY -- CMD... */
    private static boolean operands(ExecCommand exec, String[] arguments, int key) {
        int command = key + 2;
        if (command >= arguments.length || !arguments[key + 1].equals("--")) {
            return false;
        }
        exec.key = LockKey.of(arguments[key]);
        exec.words = Arrays.asList(arguments).subList(command, arguments.length);
        return true;
    }

    /** Takes an option in and answers how many words it has; 0 if it is not plain. */
    private static int option(Fenceline root, ExecCommand exec, String name, String value) {
        if (name.equals("-n") || name.equals("--nonblock")) {
            exec.take.nonblock = true;
            return 1;
        }
        if (value.startsWith("-")) {
            return 0; // a value was forgotten
        }
        switch (name) {
            case "-w", "--wait" -> exec.take.wait = DurationText.parseSeconds(value);
            case "-E", "--conflict-exit-code" -> exec.take.conflictExitCode = Integer.parseInt(value);
            case "--ttl" -> exec.take.lease.ttl = DurationText.parse(value);
            case "--holder" -> exec.take.holder = Holder.of(value);
            case "--kill-after" -> exec.stop.killAfter = DurationText.parse(value);
            case "--claim" -> exec.take.lease.claims.add(ResourceName.of(value));
            case "--backend" -> root.backend = value;
            default -> {
                return 0;
            }
        }
        return 2;
    }
}
