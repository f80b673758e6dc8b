package io.fenceline.cli.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A program with its arguments, and the environment variables that it gets on top of ours.
 *
 * @param words the program, by name or path, and its arguments
 * @param variables what is added to our environment; a variable that is in both has this value
 */
public record Command(List<String> words, Map<String, String> variables) {

    public Command {
        words = List.copyOf(words);
        variables = Map.copyOf(variables);
        if (words.isEmpty() || words.get(0).isEmpty()) {
            throw new IllegalArgumentException("a command needs a program: " + words);
        }
    }

    /** The command without further variables. */
    public static Command of(String... words) {
        return new Command(List.of(words), Map.of());
    }

    /** The whole environment of the command. */
    Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>(System.getenv());
        environment.putAll(variables);
        return environment;
    }

    /**
     * Finds the program as a shell would: a name with a slash is a path, any other is looked for in the {@code
     * PATH} of the command's own environment.
     *
     * @throws CommandException if there is no such program or it may not be executed
     */
    public Path program() throws CommandException {
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
                ? new CommandException(CommandException.NOT_EXECUTABLE, name + ": cannot be executed")
                : new CommandException(CommandException.NOT_FOUND, name + ": command not found");
    }
}
