package io.fenceline.cli.command;

import io.fenceline.BackendException;
import io.fenceline.LockKey;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.OutputField;
import io.fenceline.cli.output.Printable;
import io.fenceline.cli.output.ResultOutput;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.SelfDiagnosis.Finding;
import io.fenceline.spi.SelfDiagnosis.Severity;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code fenceline doctor}: checks the configuration of the store. */
@Command(
        description = "Check that the store's configuration keeps Fenceline's guarantees.",
        customSynopsis = "Usage: fenceline doctor [OPTIONS]",
        exitCodeList = {
            "0:no problem found",
            "1:a guarantee may be weaker than documented",
            "2:a guarantee does not hold, or the store cannot be used"
        })
public final class DoctorCommand implements Callable<Integer> {

    private final CommandContext context;

    @Mixin
    private ResultOutput output = new ResultOutput();

    public DoctorCommand(CommandContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        List<Finding> findings = examine();
        if (output.isJson()) {
            output.many(context.output(), rows(findings), "");
        } else {
            findings.forEach(this::print);
        }
        return findings.stream().mapToInt(DoctorCommand::exitCode).max().orElse(ExitCode.OK);
    }

    /** A store that cannot be opened is a finding too. */
    private List<Finding> examine() {
        try (LockBackend backend = context.open()) {
            List<Finding> findings = context.require(backend, SelfDiagnosis.class, "cannot be checked by doctor", "")
                    .diagnose();
            boolean problem = findings.stream().anyMatch(finding -> finding.severity() == Severity.PROBLEM);
            return problem ? findings : withLocks(findings, backend);
        } catch (BackendException e) {
            return List.of(problem("store", e));
        }
    }

    /** A user may be allowed what the settings are read with, and not the locks. */
    private List<Finding> withLocks(List<Finding> findings, LockBackend backend) {
        try {
            backend.lookup(LockKey.of("fenceline doctor"));
            return findings;
        } catch (BackendException e) {
            List<Finding> all = new ArrayList<>(findings);
            all.add(problem("locks", e));
            return all;
        }
    }

    private Finding problem(String subject, BackendException e) {
        context.errors().trace(e);
        return new Finding(subject, Severity.PROBLEM, String.valueOf(e.getMessage()), "");
    }

    private void print(Finding finding) {
        PrintWriter out = context.output();
        out.printf("%-8s %s: %s%n", name(finding), Printable.of(finding.subject()), Printable.of(finding.detail()));
        if (!finding.remedy().isEmpty()) {
            out.printf("         -> %s%n", Printable.of(finding.remedy()));
        }
    }

    private static List<List<OutputField>> rows(List<Finding> findings) {
        List<List<OutputField>> rows = new ArrayList<>();
        for (Finding finding : findings) {
            rows.add(List.of(
                    OutputField.of("subject", "subject", finding.subject()),
                    OutputField.of("severity", "severity", name(finding)),
                    OutputField.of("detail", "detail", finding.detail()),
                    OutputField.of("remedy", "remedy", finding.remedy())));
        }
        return rows;
    }

    private static String name(Finding finding) {
        return finding.severity().name().toLowerCase(Locale.ROOT);
    }

    private static int exitCode(Finding finding) {
        return switch (finding.severity()) {
            case OK -> ExitCode.OK;
            case WARNING -> ExitCode.DOCTOR_WARNING;
            case PROBLEM -> ExitCode.DOCTOR_PROBLEM;
        };
    }
}
