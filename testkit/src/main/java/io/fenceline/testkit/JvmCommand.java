package io.fenceline.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Builds the command line of a program in a JVM of its own, with the Java and the class path of this JVM. */
public final class JvmCommand {

    private JvmCommand() {}

    /**
     * Returns the command of a short program: it starts faster without the second compiler.
     *
     * @param program a class with a main method
     * @param arguments the program's arguments
     * @return words for a {@link ProcessBuilder}
     */
    public static List<String> of(Class<?> program, String... arguments) {
        return with(
                List.of(
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xshare:auto",
                        "--enable-native-access=ALL-UNNAMED"),
                program,
                arguments);
    }

    /**
     * Returns the command of a program with options of its own.
     *
     * @param options for the JVM
     * @param program a class with a main method
     * @param arguments the program's arguments
     * @return words for a {@link ProcessBuilder}
     */
    public static List<String> with(List<String> options, Class<?> program, String... arguments) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(options);
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        words.addAll(List.of(arguments));
        return words;
    }
}
