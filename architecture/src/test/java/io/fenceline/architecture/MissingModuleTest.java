package io.fenceline.architecture;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fenceline.Backends;
import io.fenceline.memory.MemoryBackendProvider;
import io.fenceline.spi.BackendProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Opens the schemes of all our modules where only core is on the class path. */
class MissingModuleTest {

    @Test
    void theErrorNamesTheModuleOfEachScheme() throws Exception {
        List<BackendProvider> providers = Backends.providers();
        assertTrue(providers.size() > 4, providers.toString());
        URL core = Backends.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader alone = new URLClassLoader(new URL[] {core}, ClassLoader.getPlatformClassLoader())) {
            Method open = alone.loadClass(Backends.class.getName()).getMethod("open", String.class);
            assertAll(providers.stream()
                    .filter(provider -> !(provider instanceof MemoryBackendProvider))
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

    private static String lastName(String packageName) {
        return packageName.substring(packageName.lastIndexOf('.') + 1);
    }
}
