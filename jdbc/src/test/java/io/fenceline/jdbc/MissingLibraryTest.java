package io.fenceline.jdbc;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Opens databases by URI on class paths that lack a driver, the pool or both. */
class MissingLibraryTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "postgresql://127.0.0.1:1/x | postgresql-          | org.postgresql:postgresql: add it",
                "postgresql://127.0.0.1:1/x | HikariCP-            | com.zaxxer:HikariCP: add it",
                "postgresql://127.0.0.1:1/x | postgresql-,HikariCP- | org.postgresql:postgresql and com.zaxxer:HikariCP: add them",
                "mariadb://127.0.0.1:1/x    | mariadb-java-client- | org.mariadb.jdbc:mariadb-java-client: add it",
                "mysql://127.0.0.1:1/x      | mariadb-java-client- | org.mariadb.jdbc:mariadb-java-client: add it",
                "h2:mem:x                   | h2-                  | com.h2database:h2: add it",
                "h2:mem:x                   | HikariCP-            | com.zaxxer:HikariCP: add it"
            })
    void namesWhatToAdd(String uri, String missing, String named) throws Exception {
        String scheme = uri.substring(0, uri.indexOf(':'));
        try (URLClassLoader without = without(missing.split(","))) {
            Class<?> locks = without.loadClass("io.fenceline.Locks");
            assertThatThrownBy(() -> locks.getMethod("open", String.class).invoke(null, uri))
                    .isInstanceOf(InvocationTargetException.class)
                    .cause()
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage(scheme + ": URIs need " + named + ", or use JdbcLockBackend.on(dataSource, options)");
        }
    }

    /** As in a jar that was merged of several, whose services files were not. */
    @Test
    void namesTheServicesFileThatIsMissing() throws Exception {
        String file = "META-INF/services/io.fenceline.jdbc.product.Product";
        try (URLClassLoader all = without("no jar");
                URLClassLoader merged = new URLClassLoader(all.getURLs(), ClassLoader.getPlatformClassLoader()) {
                    @Override
                    public Enumeration<URL> getResources(String name) throws IOException {
                        return name.equals(file) ? Collections.emptyEnumeration() : super.getResources(name);
                    }
                }) {
            Class<?> products = merged.loadClass("io.fenceline.jdbc.product.Products");
            assertThatThrownBy(() -> products.getMethod("named", String.class).invoke(null, "H2"))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the jar lacks " + file);
        }
    }

    /** The class path of this test without some jars, as a class path of its own. */
    private static URLClassLoader without(String... jars) throws IOException {
        List<URL> rest = new ArrayList<>();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : classPath.split(File.pathSeparator)) {
            Path file = Path.of(entry);
            if (List.of(jars).stream().noneMatch(file.getFileName().toString()::startsWith)) {
                rest.add(file.toUri().toURL());
            }
        }
        return new URLClassLoader(rest.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
