package io.fenceline.cli;

import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.cli.command.ExecCommand;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.DurationText;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Parser of the simple forms of {@code exec}, without picocli: building picocli's model of the arguments takes longer than
 * everything else in a short {@code exec}.
 *
 * <p>It accepts options whose values are separate arguments, and gives them picocli's meaning. Everything else, errors
 * included, is left to picocli.
 */
final class PlainExec {

    private PlainExec() {}

    /** Returns the command, ready to run; null if picocli has to parse these arguments. */
    static @Nullable ExecCommand parse(CommandContext context, String... arguments) {
        if (arguments.length == 0 || !arguments[0].equals("exec")) {
            return null;
        }
        try {
            ExecCommand exec = new ExecCommand(context);
            int next = 1;
            while (next + 1 < arguments.length && arguments[next].startsWith("-")) {
                int consumed = option(context, exec, arguments[next], arguments[next + 1]);
                if (consumed == 0) {
                    return null;
                }
                next += consumed;
            }
            return operands(exec, arguments, next) ? exec : null;
        } catch (IllegalArgumentException invalid) {
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

    /** Sets an option and returns the number of arguments it takes; 0 if picocli has to parse it. */
    private static int option(CommandContext context, ExecCommand exec, String name, String value) {
        if (name.equals("-n") || name.equals("--nonblock")) {
            exec.acquire.nonblock = true;
            return 1;
        }
        if (name.equals("-v") || name.equals("--verbose")) {
            exec.acquire.lease.verbose = true;
            return 1;
        }
        if (value.startsWith("-")) {
            return 0; // the value is missing
        }
        switch (name) {
            case "-w", "--wait" -> exec.acquire.wait = DurationText.parse(value);
            case "-E", "--conflict-exit-code" -> exec.acquire.conflictExitCode = Integer.parseInt(value);
            case "--ttl" -> exec.acquire.lease.ttl = DurationText.parse(value);
            case "--holder" -> exec.acquire.holder = Holder.of(value);
            case "--kill-after" -> exec.stop.killAfter = DurationText.parse(value);
            case "--claim" -> exec.acquire.lease.claims.add(ResourceName.of(value));
            case "--backend" -> context.backend(value);
            default -> {
                return 0;
            }
        }
        return 2;
    }
}
