package io.fenceline.cli.output;

/** Quotes a word, so that a shell reads it as it is: for commands that a message tells the user to repeat. */
public final class ShellWord {

    private ShellWord() {}

    /** Returns the word in single quotes, or in {@code $'…'} as bash, zsh and ksh read it if it has control characters or quotes. */
    public static String of(String word) {
        if (word.equals(Printable.of(word)) && word.indexOf('\'') < 0) {
            return "'" + word + "'";
        }
        // Printable escapes as the shell does within $'…'.
        return "$'" + Printable.of(word.replace("\\", "\\\\").replace("'", "\\'")) + "'";
    }
}
