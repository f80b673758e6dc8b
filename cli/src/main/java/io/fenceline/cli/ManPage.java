package io.fenceline.cli;

import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.context.ProcessEnvironment;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The man page {@code fenceline(1)}, made of the help texts. The build writes it, and the completion script, for the archive. */
final class ManPage {

    private final StringBuilder page = new StringBuilder();

    private ManPage() {}

    /** Writes {@code fenceline.1} and the completion script {@code fenceline} into the folder that is the only argument. */
    public static void main(String[] folders) throws IOException {
        Path folder = Files.createDirectories(Path.of(folders[0]));
        PrintWriter output = new PrintWriter(Writer.nullWriter());
        ProcessEnvironment environment =
                new ProcessEnvironment(Map.of(), InputStream.nullInputStream(), output, output, false);
        CommandLine root = CommandTree.forArguments(new CommandContext(environment), "help");
        Files.writeString(folder.resolve("fenceline.1"), of(root));
        Files.writeString(folder.resolve("fenceline"), AutoComplete.bash("fenceline", root));
    }

    /** Returns the page as troff source. */
    static String of(CommandLine root) {
        ManPage man = new ManPage();
        String description = root.getCommandSpec().usageMessage().description()[0];
        man.line(".TH FENCELINE 1 \"\" \"fenceline " + Version.build("version") + "\" \"User Commands\"");
        man.section("NAME");
        man.line("fenceline \\- " + escaped(description.substring(0, description.indexOf('.'))));
        man.section("SYNOPSIS");
        man.synopsis(root);
        man.section("DESCRIPTION");
        man.text(List.of(root.getCommandSpec().usageMessage().description()));
        man.arguments(root);
        man.section("COMMANDS");
        root.getSubcommands().values().forEach(man::command);
        man.section("EXIT STATUS");
        man.codes(root.getCommandSpec().usageMessage());
        man.section("EXAMPLES");
        man.footer(root.getCommandSpec().usageMessage());
        return man.page.toString();
    }

    private void command(CommandLine command) {
        line(".SS " + escaped(command.getCommandSpec().qualifiedName()));
        synopsis(command);
        UsageMessageSpec help = command.getCommandSpec().usageMessage();
        text(List.of(help.description()));
        arguments(command);
        if (!help.exitCodeList().isEmpty()) {
            line(".PP");
            line("Exit codes:");
            codes(help);
        }
        footer(help);
        command.getSubcommands().values().forEach(this::command);
    }

    private void synopsis(CommandLine command) {
        String[] custom = command.getCommandSpec().usageMessage().customSynopsis();
        String synopsis = custom.length > 0
                ? String.join("\n", custom)
                : command.getHelp().synopsis(0);
        line(".PP");
        line(".nf");
        plain(synopsis.replace("Usage: ", ""));
        line(".fi");
    }

    private void arguments(CommandLine command) {
        Help help = command.getHelp();
        for (PositionalParamSpec parameter : command.getCommandSpec().positionalParameters()) {
            if (!parameter.hidden()) {
                item(parameter.paramLabel(), List.of(parameter.description()));
            }
        }
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden() && !(option.inherited() && option.usageHelp())) {
                String label = help.parameterLabelRenderer()
                        .renderParameterLabel(option, Ansi.OFF, List.of())
                        .toString();
                item(String.join(", ", option.names()) + label, List.of(option.description()));
            }
        }
    }

    private void codes(UsageMessageSpec help) {
        help.exitCodeList().forEach((code, meaning) -> item(code, List.of(meaning)));
    }

    private void footer(UsageMessageSpec help) {
        if (help.footer().length > 0) {
            line(".PP");
            line(".nf");
            plain(List.of(help.footer()).stream().map(ManPage::formatted).collect(Collectors.joining("\n")));
            line(".fi");
        }
    }

    private void item(String term, List<String> description) {
        line(".TP");
        line("\\fB" + escaped(term) + "\\fR");
        plain(description.stream().map(ManPage::formatted).collect(Collectors.joining("\n")));
    }

    private void text(List<String> paragraphs) {
        for (String paragraph : paragraphs) {
            line(".PP");
            plain(formatted(paragraph));
        }
    }

    private void section(String name) {
        line(".SH " + name);
    }

    private void plain(String text) {
        text.strip().lines().map(ManPage::escaped).forEach(this::line);
    }

    private void line(String line) {
        page.append(line).append('\n');
    }

    /** What picocli makes of a text: the texts are formats without arguments. */
    private static String formatted(String text) {
        return String.format(text);
    }

    private static String escaped(String text) {
        String escaped = text.replace("\\", "\\e").replace("-", "\\-");
        return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
    }
}
