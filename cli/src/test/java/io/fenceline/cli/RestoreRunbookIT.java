package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.process.ProcessExit;
import io.fenceline.servers.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of "After a restore" in docs/operating.md, on a PostgreSQL that was restored from an older copy. */
class RestoreRunbookIT {

    private static PostgresServer server;

    @TempDir
    Path folder;

    private String locksDatabase;
    private String locks;
    private String data;

    @BeforeAll
    static void start() {
        server = PostgresServer.start(Map.of());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void makeDatabases() {
        locksDatabase = server.newDatabase();
        locks = server.uri(locksDatabase);
        data = server.uri(server.newDatabase());
        run(locks, "schema install");
        run(data, "schema install");
    }

    private static CommandRun run(String store, String line) {
        return CommandRun.of(Map.of("FENCELINE_BACKEND", store), "", line.split(" "));
    }

    /** Takes a lock, and writes to a resource under its token. Returns the exit code of the write. */
    private int writeUnder(String key, String resource) {
        CommandRun held = run(locks, "hold --for 0 --json " + key);
        assertThat(held.exitCode()).as(held.err()).isZero();
        String token = held.out().replaceAll("(?s).*\"token\":\"(\\d+)\".*", "$1");
        return run(data, "guard claim --key " + key + " --token " + token + " " + resource)
                .exitCode();
    }

    @Test
    void letsHoldersWriteAgain() throws Exception {
        assertThat(writeUnder("invoice-run", "invoices")).isZero();
        assertThat(writeUnder("sync", "folders")).isZero();
        String copy = locksDatabase + "_copy";
        server.execute("postgres", "CREATE DATABASE " + copy + " TEMPLATE " + locksDatabase);
        for (int i = 0; i < 3; i++) {
            assertThat(writeUnder("invoice-run", "invoices")).isZero();
        }
        run(locks, "token bump --at-least 4710 month-end"); // a key that the copy does not have
        assertThat(writeUnder("month-end", "report")).isZero();

        server.execute("postgres", "DROP DATABASE " + locksDatabase);
        server.execute("postgres", "ALTER DATABASE " + copy + " RENAME TO " + locksDatabase);
        assertThat(writeUnder("invoice-run", "invoices")).isEqualTo(ExitCode.TOKEN_REFUSED);
        assertThat(writeUnder("month-end", "report")).isEqualTo(ExitCode.TOKEN_REFUSED);

        CommandRun runbook = runCommandsOfTheRunbook();
        assertThat(runbook.exitCode()).as(runbook.err()).isZero();
        assertThat(runbook.out()).containsPattern("report +month-end +000000000004711");

        assertThat(writeUnder("invoice-run", "invoices")).isZero();
        assertThat(writeUnder("sync", "folders")).isZero();
        assertThat(writeUnder("month-end", "report")).isZero();
    }

    /** Runs the commands that raise tokens as they are in the page, by a shell. */
    private CommandRun runCommandsOfTheRunbook() throws IOException {
        String page = Files.readString(Path.of("..", "docs", "operating.md"));
        String step = page.substring(page.indexOf("**Raise the tokens**"), page.indexOf("**Claim all.**"));
        String commands = step.replaceAll("(?s).*```sh\n(.*?)```.*", "$1");
        assertThat(commands.lines()).hasSizeGreaterThan(2);
        Files.createSymbolicLink(folder.resolve("fenceline"), Path.of(FencelineProcess.launcher()));
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder shell = new ProcessBuilder(List.of("sh", "-e", "-c", commands));
        Map<String, String> variables = shell.environment();
        variables.putAll(Map.of("LOCKS", locks, "DATA", data, "JAVA_HOME", System.getProperty("java.home")));
        variables.put("PATH", folder + ":" + variables.get("PATH"));
        Process process =
                shell.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        int exitCode = ProcessExit.await(process);
        return new CommandRun(exitCode, Files.readString(out), Files.readString(err));
    }
}
