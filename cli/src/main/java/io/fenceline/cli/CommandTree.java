package io.fenceline.cli;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.ResourceName;
import io.fenceline.cli.command.CompletionCommand;
import io.fenceline.cli.command.DemoCommand;
import io.fenceline.cli.command.DoctorCommand;
import io.fenceline.cli.command.ElectCommand;
import io.fenceline.cli.command.ExecCommand;
import io.fenceline.cli.command.GuardCommand;
import io.fenceline.cli.command.HelpCommand;
import io.fenceline.cli.command.HoldCommand;
import io.fenceline.cli.command.LeadersCommand;
import io.fenceline.cli.command.LsCommand;
import io.fenceline.cli.command.ReleaseCommand;
import io.fenceline.cli.command.SchemaCommand;
import io.fenceline.cli.command.ShowCommand;
import io.fenceline.cli.command.TokenCommand;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ArgumentConverter;
import io.fenceline.cli.output.DurationText;
import io.fenceline.cli.output.TokenText;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Builds the picocli model of the commands.
 *
 * <p>A model costs more time than most commands take. Only that of the command that the arguments name is built, or all of them
 * if there is no such command.
 */
final class CommandTree {

    private CommandTree() {}

    /** The command line that understands these arguments. */
    static CommandLine forArguments(CommandContext context, String... arguments) {
        List<String> all = CommandGroup.allNames();
        String name = firstOperand(arguments);
        boolean needsOthers = name.equals("help") || name.equals("completion");
        boolean alone = all.contains(name) && !needsOthers;
        CommandLine line = new CommandLine(new Fenceline(context));
        for (String each : alone ? List.of(name) : all) {
            line.addSubcommand(each, command(each, context));
        }
        line.getSubcommands().values().forEach(CommandTree::layOut);
        register(line, LockKey.class, LockKey::of);
        register(line, ResourceName.class, ResourceName::of);
        register(line, LockId.class, LockId::parse);
        register(line, Holder.class, Holder::of);
        register(line, FencingToken.class, TokenText::parse);
        register(line, Duration.class, DurationText::parse);
        ParseErrors errors = new ParseErrors(context.errors());
        line.setParameterExceptionHandler(errors);
        line.setExecutionExceptionHandler(errors);
        line.setOut(context.output());
        line.setErr(context.environment().errors());
        line.setExpandAtFiles(false); // @FILE is a word of the command to run, as any other
        line.setOverwrittenOptionsAllowed(true); // the last one counts, as in most commands
        line.setUsageHelpAutoWidth(true);
        line.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, new CommandGroup.Listing());
        return line;
    }

    /** Sets the headings of a command's help and of its subcommands'. */
    private static void layOut(CommandLine line) {
        UsageMessageSpec help = line.getCommandSpec().usageMessage();
        help.descriptionHeading("%n");
        help.optionListHeading("%nOptions:%n");
        if (help.customSynopsis().length > 0) {
            help.synopsisHeading("");
        }
        if (!line.getCommandSpec().positionalParameters().isEmpty()) {
            help.parameterListHeading("%n");
        }
        if (!help.exitCodeList().isEmpty()) {
            help.exitCodeListHeading("%nExit codes:%n");
        }
        if (!line.getSubcommands().isEmpty()) {
            help.commandListHeading("%n");
        }
        line.getSubcommands().values().forEach(CommandTree::layOut);
    }

    private static Object command(String name, CommandContext context) {
        return switch (name) {
            case "exec" -> new ExecCommand(context);
            case "hold" -> new HoldCommand(context);
            case "elect" -> new ElectCommand(context);
            case "ls" -> new LsCommand(context);
            case "show" -> new ShowCommand(context);
            case "leaders" -> new LeadersCommand(context);
            case "token" -> TokenCommand.line(context);
            case "guard" -> GuardCommand.line(context);
            case "release" -> ReleaseCommand.line(context);
            case "doctor" -> new DoctorCommand(context);
            case "schema" -> new SchemaCommand(context);
            case "demo" -> new DemoCommand(context);
            case "completion" -> new CompletionCommand();
            case "help" -> new HelpCommand();
            default -> throw new IllegalArgumentException("no command '" + name + "'");
        };
    }

    /** The first argument that is neither an option nor an option's value; empty if there is none. */
    private static String firstOperand(String... arguments) {
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
        line.registerConverter(type, new ArgumentConverter<>(parser));
    }
}
