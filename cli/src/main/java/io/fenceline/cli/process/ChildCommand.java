package io.fenceline.cli.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A program with its arguments and additional environment variables.
 *
 * @param variables added to our environment; they override variables of the same name
 */
public record ChildCommand(List<String> words, Map<String, String> variables) {

    public ChildCommand {
        words = List.copyOf(words);
        variables = Map.copyOf(variables);
        if (words.isEmpty() || words.get(0).isEmpty()) {
            throw new IllegalArgumentException("a command needs a program: " + words);
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
            if (Files.isRegularFile(candidate) && Files.isExecutable(candidate)) {
                return candidate;
            }
            found |= Files.exists(candidate);
        }
        throw found
                ? new CommandStartException(CommandStartException.NOT_EXECUTABLE, name + ": cannot be executed")
                : new CommandStartException(CommandStartException.NOT_FOUND, name + ": command not found");
    }
}
