package io.fenceline.cli.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A program with its arguments and additional environment variables.
 *
 * @param variables added to our environment; they override variables of the same name
 */
public record ChildCommand(List<String> words, Map<String, String> variables) {

    /** What Linux reads of a script's first line. */
    private static final int MAX_INTERPRETER = 256;

    /** One in ASCII whose end was read: of others the kernel decides. */
    private static final Pattern INTERPRETER = Pattern.compile("\\A#![ \\t]*([\\x21-\\x7e]+\\r?)[ \\t\\n]");

    public ChildCommand {
        words = List.copyOf(words);
        variables = Map.copyOf(variables);
        if (words.isEmpty() || words.get(0).isEmpty()) {
            throw new IllegalArgumentException("the name of the program to run is empty");
        }
    }

    /** A command without additional variables. */
    public static ChildCommand of(String... words) {
        return new ChildCommand(List.of(words), Map.of());
    }

    /** The whole environment of the command. */
    Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.putAll(variables);
        return environment;
    }

    /**
     * Finds the program as a shell does: a name with a slash is a path, any other is searched in the {@code PATH} of the command's
     * environment.
     *
     * @throws CommandStartException if the program is not found or not executable
     */
    public Path program() throws CommandStartException {
        String name = words.get(0);
        String path = environment().getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
        boolean found = false;
        for (String folder : name.contains("/") ? List.of("") : List.of(path.split(":", -1))) {
            Path candidate = Path.of(folder, name);
            if (isExecutable(candidate)) {
                ensureInterpreter(candidate, name);
                return candidate;
            }
            found |= Files.exists(candidate);
        }
        throw found
                ? new CommandStartException(CommandStartException.NOT_EXECUTABLE, name + ": cannot be executed")
                : new CommandStartException(CommandStartException.NOT_FOUND, name + ": command not found");
    }

    private static boolean isExecutable(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }

    /** A script whose interpreter is missing would be refused by the kernel, after the lock was taken. */
    private static void ensureInterpreter(Path program, String name) throws CommandStartException {
        Matcher script = INTERPRETER.matcher(firstLine(program));
        if (script.find() && !isExecutable(Path.of(script.group(1)))) {
            throw new CommandStartException(
                    CommandStartException.NOT_EXECUTABLE,
                    name + ": cannot be executed: its interpreter '"
                            + script.group(1).replace("\r", "\\r") + "' is missing");
        }
    }

    /** Returns the beginning of a file; nothing of one that may be executed and not read. */
    private static String firstLine(Path file) {
        try (InputStream begin = Files.newInputStream(file)) {
            return new String(begin.readNBytes(MAX_INTERPRETER), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
