package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.process.ProcessExit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The archive, unpacked by root or by whoever runs the tests, and used by another user where there is one to be, with a runtime
 * that has no compiler and no Maven on its path.
 */
class ArchiveIT {

    private static final String NOBODY = "65534";

    /** Comes before a command that another user is to run; empty if only root could do that. */
    private static final List<String> OTHER_USER =
            System.getProperty("user.name").equals("root")
                    ? List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups")
                    : List.of();

    /** A link to another page, without the place in it. */
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]+)");

    private static Path folder;
    private static Path installed;

    /** The folder of the other user. */
    private static Path home;

    private static CommandRun firstRun;

    @BeforeAll
    static void unpack() throws Exception {
        folder = Files.createTempDirectory("fenceline archive");
        Path runtime = folder.resolve("jre");
        int linked = ToolProvider.findFirst("jlink")
                .orElseThrow()
                .run(
                        System.out,
                        System.err,
                        "--add-modules",
                        "java.management,java.naming,java.security.jgss,java.sql,java.sql.rowset,jdk.net,jdk.unsupported",
                        "--output",
                        runtime.toString());
        assertThat(linked).isZero();
        assertThat(runtime.resolve("bin/javac")).doesNotExist();
        String unpack = "umask 077 && exec tar -xzf \"$0\" -C \"$1\""; // as root's shell has it on some machines
        command("sh", "-c", unpack, archive(".tar.gz").toString(), folder.toString());
        command("chmod", "a+rx", folder.toString());
        installed = folder.resolve("fenceline-" + Version.build("version"));
        if (OTHER_USER.isEmpty()) {
            command("chmod", "-R", "a-w", installed.toString());
        }
        home = ownedByTheOther(Files.createDirectory(folder.resolve("home")));
        firstRun = run("HOME=" + home, "fenceline --version");
    }

    @AfterAll
    static void remove() throws Exception {
        command("chmod", "-R", "u+w", folder.toString());
        command("rm", "-r", folder.toString());
    }

    @Test
    void preparesItsStartInTheUsersCacheWhereTheInstallationIsNotTheirs() {
        assertThat(firstRun.err()).isEqualTo("fenceline: preparing for Java " + javaVersion() + " (once)...\n");
        assertThat(home.resolve(".cache/fenceline" + installed + "/java-" + javaVersion() + ".jsa"))
                .isNotEmptyFile();
        assertThat(installed.resolve("launcher")).doesNotExist();
    }

    @Test
    void tellsItsBuild() {
        assertThat(firstRun.out().lines().toList())
                .satisfiesExactly(
                        version -> assertThat(version).isEqualTo("fenceline " + Version.build("version")),
                        commit -> assertThat(commit)
                                .matches(
                                        "commit [0-9a-f]{12} of \\d{4}-\\d\\d-\\d\\d(, with changes)?|built outside.*"),
                        java -> assertThat(java).startsWith("Java " + javaVersion()));
    }

    @ParameterizedTest
    @EnumSource(names = {"SQLITE", "POSTGRESQL", "REDIS"})
    void worksForAnotherUser(StoreKind kind) throws Exception {
        Path place = Files.createDirectory(folder.resolve(kind.name()));
        try (TestStore store = kind.open(place)) {
            ownedByTheOther(place);
            String commands = """
                    set -e
                    fenceline exec nightly -- sh -c 'echo "token $FENCELINE_TOKEN"'
                    fenceline exec -n -E 0 --claim orders/42 order:42 -- true
                    fenceline guard show orders/42
                    fenceline doctor || [ $? = 1 ] # a Redis that writes nothing to disk is worth a remark
                    """;
            CommandRun run = run("FENCELINE_BACKEND=" + store.uri(), commands);
            assertThat(run.err()).isEmpty();
            assertThat(run.out())
                    .containsPattern("^token \\d{15}\n")
                    .contains("orders/42", "ok  ")
                    .doesNotContain("problem");
            assertThat(run.exitCode()).isZero();
        }
    }

    @Test
    void playsTheDemo() throws Exception {
        CommandRun run = run("TZ=UTC", "fenceline demo --ttl 1s");
        assertThat(run.out()).containsSubsequence("CORRUPTED", "PROTECTED");
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    @Test
    void keepsLocksInTheUsersFolderUnlessToldOtherwise() throws Exception {
        assertThat(run("TZ=UTC", "fenceline exec k -- echo ran")).isEqualTo(new CommandRun(0, "ran\n", ""));
        assertThat(home.resolve(".local/share/fenceline/locks.db")).isNotEmptyFile();
    }

    @Test
    void takesTheHomeOfTheShellForATilde() throws Exception {
        assertThat(run("TZ=UTC", "fenceline exec --backend 'sqlite:~/tilde.db' k -- echo ran"))
                .isEqualTo(new CommandRun(0, "ran\n", ""));
        assertThat(home.resolve("tilde.db")).isNotEmptyFile();
    }

    @Test
    void worksWithoutAHomeAndThroughALink() throws Exception {
        Path link = Files.createSymbolicLink(folder.resolve("a link"), installed.resolve("bin/fenceline"));
        String uri = "sqlite:" + home.resolve("without a home.db");
        CommandRun run = run("HOME=", "'" + link + "' exec --backend '" + uri + "' k -- echo ran");
        assertThat(run).isEqualTo(new CommandRun(0, "ran\n", ""));
    }

    @Test
    void hasTheSameFilesAsAZip() throws Exception {
        Set<String> files;
        try (ZipFile zip = new ZipFile(archive(".zip").toFile())) {
            files = zip.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(entry -> entry.getName())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        try (Stream<Path> unpacked = Files.walk(installed)) {
            assertThat(unpacked.filter(Files::isRegularFile)
                            .map(file -> folder.relativize(file).toString()))
                    .containsExactlyInAnyOrderElementsOf(files);
        }
        assertThat(files)
                .contains(
                        installed.getFileName() + "/share/bash-completion/completions/fenceline",
                        installed.getFileName() + "/LICENSE");
    }

    @Test
    void hasThePagesThatItsPagesLinkTo() throws Exception {
        Set<Path> linked = new TreeSet<>();
        try (Stream<Path> files = Files.walk(installed)) {
            for (Path page : files.filter(ArchiveIT::isPage).toList()) {
                LINK.matcher(Files.readString(page))
                        .results()
                        .map(link -> page.resolveSibling(link.group(1)).normalize())
                        .filter(ArchiveIT::isPage) // sources are not in the archive
                        .forEach(linked::add);
            }
        }
        assertThat(linked).hasSizeGreaterThan(20).allMatch(Files::exists);
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".md");
    }

    @Test
    void namesTheLicenceOfEachLibrary() throws Exception {
        String licences = Files.readString(installed.resolve("licenses/THIRD-PARTY.md"))
                .replace(
                        "`netty-*`",
                        "`netty-buffer` `netty-codec-base` `netty-codec-dns` `netty-common` `netty-handler`"
                                + " `netty-resolver` `netty-resolver-dns` `netty-transport` `netty-transport-native-unix-common`");
        try (Stream<Path> jars = Files.list(installed.resolve("lib"))) {
            assertThat(jars.map(jar -> jar.getFileName().toString())
                            .filter(jar -> !jar.startsWith("fenceline-"))
                            .map(jar -> "`" + jar.replaceFirst("-\\d.*", "") + "`"))
                    .allMatch(licences::contains, "named in " + licences);
        }
    }

    @Test
    void hasAManPageOfAllCommands() throws Exception {
        Path page = installed.resolve("share/man/man1/fenceline.1");
        for (String command : CommandGroup.allNames()) {
            assertThat(page).content().contains("\n.SS fenceline " + command + "\n");
        }
        if (Files.isExecutable(Path.of("/usr/bin/groff"))) {
            assertThat(command("groff", "-man", "-ww", "-z", "-Tutf8", page.toString())
                            .err())
                    .isEmpty();
        }
    }

    private static Path ownedByTheOther(Path place) throws IOException {
        if (!OTHER_USER.isEmpty()) {
            command("chown", "-R", NOBODY, place.toString());
        }
        return place;
    }

    private static CommandRun run(String variable, String script) throws IOException {
        List<String> words = new ArrayList<>(OTHER_USER);
        words.addAll(List.of(
                "env",
                "-i",
                "PATH=" + installed.resolve("bin") + ":/usr/bin:/bin",
                "JAVA_HOME=" + folder.resolve("jre"),
                "HOME=" + home,
                variable,
                "sh",
                "-c",
                "cd \"$0\" && " + script,
                home.toString()));
        return command(words.toArray(String[]::new));
    }

    private static CommandRun command(String... words) throws IOException {
        Path out = Files.createTempFile("fenceline", "out");
        Path err = Files.createTempFile("fenceline", "err");
        try {
            Process process = new ProcessBuilder(words)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            int exitCode = ProcessExit.await(process);
            return new CommandRun(exitCode, Files.readString(out), Files.readString(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    private static Path archive(String suffix) {
        return Path.of("target", "fenceline-" + Version.build("version") + suffix);
    }

    private static String javaVersion() {
        return System.getProperty("java.version");
    }
}
