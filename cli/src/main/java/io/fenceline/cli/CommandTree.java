package io.fenceline.cli;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * The commands, and the picocli model of them.
 *
 * <p>A model costs more time than most commands take, so only that of the command that the arguments name is made; all of
 * them are when there is none of that name.
 */
final class CommandTree {

    private CommandTree() {}

    /** The command line that understands these arguments. */
    static CommandLine lineFor(Surroundings surroundings, String... arguments) {
        String named = firstWord(arguments);
        boolean alone = CommandGroup.allNames().contains(named) && !named.equals("help"); // that explains the others
        return alone ? line(surroundings, List.of(named)) : whole(surroundings);
    }

    /** The command line with all commands. */
    static CommandLine whole(Surroundings surroundings) {
        return line(surroundings, CommandGroup.allNames());
    }

    private static CommandLine line(Surroundings surroundings, List<String> names) {
        Fenceline root = new Fenceline(surroundings);
        CommandLine line = new CommandLine(root);
        for (String name : names) {
            line.addSubcommand(name, command(name, root));
        }
        register(line, LockKey.class, LockKey::of);
        register(line, ResourceName.class, ResourceName::of);
        register(line, LockId.class, LockId::parse);
        register(line, Holder.class, Holder::of);
        register(line, FencingToken.class, TokenText::parse);
        register(line, Duration.class, DurationText::parse);
        ParseErrors errors = new ParseErrors(root);
        line.setParameterExceptionHandler(errors);
        line.setExecutionExceptionHandler(errors);
        line.setOut(surroundings.output());
        line.setErr(surroundings.errors());
        line.setExpandAtFiles(false); // @FILE is a word of the command to run, as any other
        line.setOverwrittenOptionsAllowed(true); // the last one counts, as in most commands
        line.setUsageHelpAutoWidth(true);
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, new CommandGroup.Listing());
        return line;
    }

    private static Object command(String name, Fenceline root) {
        return switch (name) {
            case "exec" -> new ExecCommand(root);
            case "hold" -> new HoldCommand(root);
            case "elect" -> new ElectCommand(root);
            case "ls" -> new LsCommand(root);
            case "show" -> new ShowCommand(root);
            case "leaders" -> new LeadersCommand(root);
            case "token" -> new TokenCommand(root);
            case "guard" -> GuardCommand.line(root);
            case "release" -> ReleaseCommand.line(root);
            case "doctor" -> new DoctorCommand(root);
            case "schema" -> new SchemaCommand(root);
            case "demo" -> new DemoCommand();
            case "completion" -> new CompletionCommand(root);
            case "help" -> new HelpCommand();
            default -> throw new IllegalArgumentException("no command '" + name + "'");
        };
    }

    /** The first argument that is neither an option nor an option's value; empty if there is none. */
    private static String firstWord(String... arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].equals("--backend")) {
                i++;
            } else if (!arguments[i].startsWith("-")) {
                return arguments[i];
            }
        }
        return "";
    }

    private static <T> void register(CommandLine line, Class<T> type, Function<String, T> parser) {
        line.registerConverter(type, converter(parser));
    }

    /** Reads {@code -w}; all other durations have units. */
    static final class SecondsConverter implements ITypeConverter<Duration> {

        SecondsConverter() {}

        @Override
        public Duration convert(String text) throws Exception {
            return converter(DurationText::parseSeconds).convert(text);
        }
    }

    /** Has a value's own complaint printed as it is. */
    private static <T> ITypeConverter<T> converter(Function<String, T> parser) {
        return text -> {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        };
    }
}
