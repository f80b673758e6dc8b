package io.fenceline.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Commands that are run to their end. */
final class Command {

    private Command() {}

    static void run(String... command) {
        run(List.of(command));
    }

    /** Runs a command that is expected to succeed; if it does not, the exception tells what it said. */
    static void run(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exit = process.waitFor();
            if (exit != 0) {
                throw new IllegalStateException(command + " ended with " + exit + ": " + output.strip());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + command + " ran", e);
        }
    }

    static boolean succeeds(String... command) {
        try {
            run(command);
            return true;
        } catch (IllegalStateException | UncheckedIOException failed) {
            return false;
        }
    }
}
