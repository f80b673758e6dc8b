package io.fenceline.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Locks;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two applications of one process, each with its own copy of Fenceline and of SQLite's driver. */
@Tag("G1")
class DriverCopyTest {

    @TempDir
    Path folder;

    @Test
    void refusesAFileThatIsOpenThroughAnotherCopy() throws Exception {
        try (URLClassLoader other = copyOfTheClassPath()) {
            Locks locks = Locks.open("sqlite:" + folder.resolve("locks.db"));
            locks.acquire("invoice:42").close();
            Files.createSymbolicLink(folder.resolve("link"), folder);

            for (String name : List.of("locks.db", "link/locks.db")) {
                assertThatExceptionOfType(InvocationTargetException.class)
                        .isThrownBy(() -> acquireThrough(other, folder.resolve(name)))
                        .havingCause()
                        .satisfies(
                                e -> assertThat(e.getClass().getMethod("code").invoke(e))
                                        .hasToString("MISCONFIGURED"))
                        .withMessageContaining("another copy of SQLite's driver");
            }

            locks.close();
            locks.close();
            acquireThrough(other, folder.resolve("locks.db"));
        }
    }

    @Test
    void refusesAFileThatTheOtherCopyIsAboutToMake() throws Exception {
        Files.createDirectory(folder.resolve("real"));
        Files.createSymbolicLink(folder.resolve("link"), folder.resolve("real"));
        try (URLClassLoader other = copyOfTheClassPath();
                AutoCloseable theirs = openThrough(other, folder.resolve("link/locks.db"))) {
            acquireOn(theirs);

            assertRefused("real/locks.db");
        }
    }

    @Test
    void knowsAFileByItsNameAlsoWhereALinkLeadsToItBeforeItIsMade() throws Exception {
        Files.createDirectory(folder.resolve("volume"));
        Files.createSymbolicLink(folder.resolve("locks.db"), Path.of("volume/locks.db"));
        try (URLClassLoader other = copyOfTheClassPath();
                AutoCloseable theirs = openThrough(other, folder.resolve("locks.db"))) {
            acquireOn(theirs);

            assertRefused("locks.db");
            assertRefused("volume/locks.db");
        }
    }

    @Test
    void letsOneCopyOpenAFileAsOftenAsItLikesAndKnowsUntilTheLastIsClosed() throws Exception {
        String uri = "sqlite:" + folder.resolve("locks.db");
        try (URLClassLoader other = copyOfTheClassPath();
                Locks first = Locks.open(uri)) {
            first.acquire("invoice:42").close();
            try (Locks second = Locks.open(uri)) {
                second.acquire("invoice:42").close();
            }

            assertThatExceptionOfType(InvocationTargetException.class)
                    .isThrownBy(() -> acquireThrough(other, folder.resolve("locks.db")));
        }
        assertThat(entries()).isEmpty();
    }

    @Test
    void forgetsAFileThatCannotBeOpened() throws Exception {
        Path file = Files.writeString(folder.resolve("locks.db"), "no database");

        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> Locks.open("sqlite:" + file));

        assertThat(entries()).isEmpty();
    }

    private void assertRefused(String name) {
        assertThatExceptionOfType(BackendException.class)
                .isThrownBy(() -> Locks.open("sqlite:" + folder.resolve(name)))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.MISCONFIGURED));
    }

    private List<Object> entries() {
        return System.getProperties().keySet().stream()
                .filter(name -> name.toString().contains(folder.toString()))
                .toList();
    }

    private static void acquireThrough(URLClassLoader application, Path file) throws Exception {
        try (AutoCloseable locks = openThrough(application, file)) {
            acquireOn(locks);
        }
    }

    private static AutoCloseable openThrough(URLClassLoader application, Path file) throws Exception {
        Class<?> type = application.loadClass(Locks.class.getName());
        return (AutoCloseable) type.getMethod("open", String.class).invoke(null, "sqlite:" + file);
    }

    private static void acquireOn(AutoCloseable locks) throws Exception {
        AutoCloseable lease = (AutoCloseable)
                locks.getClass().getMethod("acquire", String.class).invoke(locks, "invoice:42");
        lease.close();
    }

    private static URLClassLoader copyOfTheClassPath() throws Exception {
        List<URL> entries = new ArrayList<>();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : classPath.split(File.pathSeparator)) {
            entries.add(Path.of(entry).toUri().toURL());
        }
        return new URLClassLoader(entries.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
