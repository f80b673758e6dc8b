package io.fenceline.cli;

import io.fenceline.BackendException;
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

/** {@code fenceline doctor}: examines the store. */
@Command(
        description = "Check whether the store keeps what Fenceline promises.",
        customSynopsis = "Usage: fenceline doctor [OPTIONS]",
        synopsisHeading = "",
        descriptionHeading = "%n",
        optionListHeading = "%nOptions:%n",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all is well",
            "1:a promise may be weaker than documented",
            "2:a promise does not hold, or the store cannot be used"
        })
final class DoctorCommand implements Callable<Integer> {

    private final Fenceline root;

    @Mixin
    private Output output = new Output();

    DoctorCommand(Fenceline root) {
        this.root = root;
    }

    @Override
    public Integer call() throws IOException {
        List<Finding> findings = examine();
        if (output.isJson()) {
            output.many(root.surroundings().output(), rows(findings), "");
        } else {
            findings.forEach(this::print);
        }
        return findings.stream().mapToInt(DoctorCommand::exitCode).max().orElse(ExitCode.OK);
    }

    /** A store that cannot even be opened is a finding too. */
    private List<Finding> examine() {
        try (LockBackend backend = root.open()) {
            return root.ability(backend, SelfDiagnosis.class).diagnose();
        } catch (BackendException e) {
            return List.of(new Finding("store", Severity.PROBLEM, String.valueOf(e.getMessage()), ""));
        }
    }

    private void print(Finding finding) {
        PrintWriter out = root.surroundings().output();
        out.printf("%-8s %s: %s%n", name(finding), Printable.of(finding.subject()), Printable.of(finding.detail()));
        if (!finding.remedy().isEmpty()) {
            out.printf("         -> %s%n", Printable.of(finding.remedy()));
        }
    }

    private static List<List<Fact>> rows(List<Finding> findings) {
        List<List<Fact>> rows = new ArrayList<>();
        for (Finding finding : findings) {
            rows.add(List.of(
                    Fact.of("subject", "subject", finding.subject()),
                    Fact.of("severity", "severity", name(finding)),
                    Fact.of("detail", "detail", finding.detail()),
                    Fact.of("remedy", "remedy", finding.remedy())));
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
