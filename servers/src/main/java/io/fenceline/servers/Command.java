package io.fenceline.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Commands that are run to their end. */
final class Command {

    private Command() {}

    static void run(String... command) {
        run(List.of(command));
    }

    /** Runs a command that is expected to succeed; if it does not, the exception tells what it said. */
    static void run(List<String> command) {
        run(command, "");
    }

    /** The same, for a command that reads. It must read all before it says much. */
    static void run(List<String> command, String input) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            try (OutputStream in = process.getOutputStream()) {
                in.write(input.getBytes(StandardCharsets.UTF_8));
            }
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

    /** What a command says that may not exist and may fail; then it says nothing. */
    static Optional<String> output(String... command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? Optional.of(output) : Optional.empty();
        } catch (IOException notInstalled) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + List.of(command) + " ran", e);
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
