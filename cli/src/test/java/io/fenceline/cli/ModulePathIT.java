package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Applications that are modules, outside the build: compiled by javac and run by java with the jars that the build made and their
 * dependencies on the module path, and nothing else.
 */
class ModulePathIT {

    private static final Path JARS = Path.of("target", "lib");

    private static final String PROGRAM = """
            package app;

            import io.fenceline.Lease;
            import io.fenceline.Locks;

            public final class App {
                public static void main(String[] arguments) throws Exception {
                    try (Locks locks = Locks.open(arguments[0]); Lease lease = locks.acquire("k")) {
                        System.out.println(App.class.getModule().getName() + " has token " + lease.token().value());
                    }
                }
            }
            """;

    /** What an application needs for a store beside core: a line of its descriptor, and jars by the beginning of their names. */
    private enum Needs {
        SQLITE("", "fenceline-jdbc-", "fenceline-sqlite-", "sqlite-jdbc-"),
        POSTGRESQL(" requires com.zaxxer.hikari;", "fenceline-jdbc-", "postgresql-", "HikariCP-", "slf4j-api-"),
        REDIS(
                "",
                "fenceline-redis-",
                "lettuce-",
                "netty-",
                "reactor-",
                "reactive-streams-",
                "redis-authx-",
                "slf4j-api-");

        private final String requirement;
        private final List<String> jars;

        Needs(String requirement, String... jars) {
            this.requirement = requirement;
            this.jars =
                    Stream.concat(Stream.of("fenceline-core-"), Stream.of(jars)).toList();
        }
    }

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(names = {"SQLITE", "POSTGRESQL", "REDIS"})
    void takesALockOnTheStore(StoreKind kind) throws Exception {
        try (TestStore store = kind.open(folder)) {
            assertThat(run(Needs.valueOf(kind.name()), store.uri()))
                    .returns(0, CommandRun::exitCode)
                    .satisfies(run -> assertThat(run.out()).matches("app has token \\d+\n"));
        }
    }

    @Test
    void isToldWhatToRequire() throws Exception {
        CommandRun run = run(Needs.SQLITE, "postgresql://127.0.0.1:1/x");
        assertThat(run.err())
                .contains(
                        "IllegalArgumentException: postgresql: URIs need org.postgresql:postgresql and com.zaxxer:HikariCP:")
                .contains("add them and write 'requires org.postgresql.jdbc;' and 'requires com.zaxxer.hikari;'");
    }

    private CommandRun run(Needs needs, String uri) throws Exception {
        String modules = modulePath(needs);
        Path sources = Files.createDirectories(folder.resolve("sources/app"));
        Path program = Files.writeString(sources.resolve("App.java"), PROGRAM);
        Path descriptor = Files.writeString(
                sources.resolveSibling("module-info.java"),
                "module app { requires io.fenceline.core;" + needs.requirement + " }");
        String classes = folder.resolve("classes").toString();
        int compiled = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        System.out,
                        System.err,
                        "-d",
                        classes,
                        "--module-path",
                        modules,
                        descriptor.toString(),
                        program.toString());
        assertThat(compiled).isZero();
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        Process java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--module-path",
                        classes + File.pathSeparator + modules,
                        "--module",
                        "app/app.App",
                        uri)
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        return new CommandRun(java.waitFor(), Files.readString(out), Files.readString(err));
    }

    private static String modulePath(Needs needs) throws IOException {
        try (Stream<Path> jars = Files.list(JARS)) {
            return jars.filter(jar ->
                            needs.jars.stream().anyMatch(jar.getFileName().toString()::startsWith))
                    .map(jar -> jar.toAbsolutePath().toString())
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }
}
