package io.fenceline.architecture;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fenceline.Backends;
import io.fenceline.memory.MemoryBackendProvider;
import io.fenceline.sharding.ShardedBackendProvider;
import io.fenceline.spi.BackendProvider;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Opens the schemes of all our modules where only core is on the class path, or a driver is not. */
class MissingModuleTest {

    @Test
    void theErrorNamesTheModuleOfEachScheme() throws Exception {
        List<BackendProvider> providers = Backends.providers();
        assertTrue(providers.size() > 4, providers.toString());
        URL core = Backends.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader alone = new URLClassLoader(new URL[] {core}, ClassLoader.getPlatformClassLoader())) {
            Method open = alone.loadClass(Backends.class.getName()).getMethod("open", String.class);
            assertAll(providers.stream()
                    .filter(provider -> !isOfCore(provider))
                    .flatMap(provider -> provider.schemes().stream().map(scheme -> (Executable) () -> {
                        String module = "io.fenceline:fenceline-"
                                + lastName(provider.getClass().getPackageName());
                        Throwable refusal = assertThrows(
                                        InvocationTargetException.class, () -> open.invoke(null, scheme + "://h/x"))
                                .getCause();
                        assertTrue(refusal.getMessage().contains("; add " + module), refusal.getMessage());
                    })));
        }
    }

    private static boolean isOfCore(BackendProvider provider) {
        return provider instanceof MemoryBackendProvider || provider instanceof ShardedBackendProvider;
    }

    @ParameterizedTest
    @CsvSource({
        "redis://127.0.0.1:1, lettuce-,               io.lettuce:lettuce-core",
        "redis://127.0.0.1:1, netty-,                 io.lettuce:lettuce-core",
        "sqlite:not-there.db, sqlite-jdbc-,           org.xerial:sqlite-jdbc",
        "firestore://project, google-cloud-firestore, com.google.cloud:google-cloud-firestore"
    })
    void theErrorNamesTheLibraryThatAHandCopiedJarNeeds(String uri, String missing, String library) throws Exception {
        List<URL> rest = new ArrayList<>();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : classPath.split(File.pathSeparator)) {
            if (!Path.of(entry).getFileName().toString().startsWith(missing)) {
                rest.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader without =
                new URLClassLoader(rest.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Method open = without.loadClass(Backends.class.getName()).getMethod("open", String.class);
            Throwable refusal = assertThrows(InvocationTargetException.class, () -> open.invoke(null, uri))
                    .getCause();
            assertInstanceOf(IllegalArgumentException.class, refusal);
            assertTrue(refusal.getMessage().contains(" and " + library + ", with all"), refusal.getMessage());
        }
    }

    private static String lastName(String packageName) {
        return packageName.substring(packageName.lastIndexOf('.') + 1);
    }
}
