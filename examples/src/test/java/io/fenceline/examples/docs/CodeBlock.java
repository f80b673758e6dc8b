package io.fenceline.examples.docs;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A fenced block of code of a page.
 *
 * @param language the word behind the backticks, empty if there is none
 * @param text the lines of the block
 * @param printed the block of language {@code text} that follows next: what the code prints; empty if another block follows
 */
record CodeBlock(String language, String text, Optional<String> printed) {

    private static final Pattern IMPORT = Pattern.compile("(?m)^import .*;$");
    private static final Pattern TYPE =
            Pattern.compile("(?:public |final |abstract |sealed )*(?:class|record|interface|enum) (\\w+)");

    /** Returns a program of imports and statements: class Page in a package. */
    static String program(String name, List<CodeBlock> blocks) {
        return "package " + name + ";\n"
                + blocks.stream().map(CodeBlock::imports).collect(Collectors.joining())
                + "final class Page {\npublic static void main(String[] args) throws Exception {\n"
                + blocks.stream().map(CodeBlock::statements).collect(Collectors.joining("\n"))
                + "}\n}\n";
    }

    boolean isJava() {
        return language.equals("java");
    }

    boolean isTable() {
        return language.equals("sql") && text.startsWith("CREATE TABLE");
    }

    /** Returns the name of the block's type if it is a compilation unit; other blocks are imports and statements. */
    Optional<String> unit() {
        Matcher type = TYPE.matcher(statements().strip());
        return type.lookingAt() ? Optional.of(type.group(1)) : Optional.empty();
    }

    String imports() {
        return IMPORT.matcher(text).results().map(found -> found.group() + "\n").collect(Collectors.joining());
    }

    String statements() {
        return IMPORT.matcher(text).replaceAll("");
    }

    boolean names(List<String> words) {
        return words.stream().anyMatch(text::contains);
    }
}
