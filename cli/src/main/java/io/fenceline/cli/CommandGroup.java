package io.fenceline.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;

/**
 * Commands that the help lists together.
 *
 * @param title what they have in common
 * @param names of the commands
 */
record CommandGroup(String title, List<String> names) {

    private static final List<CommandGroup> ALL = List.of(
            new CommandGroup("Run under a lock", List.of("exec", "hold", "elect")),
            new CommandGroup("See who holds what", List.of("ls", "show", "leaders", "token")),
            new CommandGroup("Keep stale holders from writing", List.of("guard")),
            new CommandGroup("Put things right", List.of("release", "doctor", "schema")),
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
