package io.fenceline.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;

/** A group of commands in the help of {@code fenceline}. */
record CommandGroup(String title, List<String> names) {

    private static final List<CommandGroup> ALL = List.of(
            new CommandGroup("Run under a lock", List.of("exec", "hold", "elect")),
            new CommandGroup("Show locks and leaders", List.of("ls", "show", "leaders", "token")),
            new CommandGroup("Reject stale holders", List.of("guard")),
            new CommandGroup("Administer", List.of("release", "doctor", "schema")),
            new CommandGroup("More", List.of("demo", "completion", "help")));

    private static final int NAME_WIDTH = 12;

    /** The names of all commands, in the order of the help. */
    static List<String> allNames() {
        List<String> all = new ArrayList<>();
        for (CommandGroup group : ALL) {
            all.addAll(group.names);
        }
        return all;
    }

    /** Lists the root's commands by group, each with its one-line description. */
    static final class Listing implements IHelpSectionRenderer {

        @Override
        public String render(Help help) {
            StringBuilder text = new StringBuilder();
            for (CommandGroup group : ALL) {
                StringBuilder lines = new StringBuilder();
                for (String name : group.names) {
                    CommandLine command = help.commandSpec().subcommands().get(name);
                    if (command != null) {
                        lines.append("  ").append(name).append(" ".repeat(NAME_WIDTH - name.length()));
                        lines.append(command.getCommandSpec().usageMessage().description()[0]);
                        lines.append(System.lineSeparator());
                    }
                }
                if (lines.length() > 0) {
                    text.append(System.lineSeparator()).append(group.title).append(':');
                    text.append(System.lineSeparator()).append(lines);
                }
            }
            return text.toString();
        }
    }
}
