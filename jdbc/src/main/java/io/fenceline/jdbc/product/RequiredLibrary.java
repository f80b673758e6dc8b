package io.fenceline.jdbc.product;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A library that databases opened by URI need and that the user adds: a driver or the pool.
 *
 * @param coordinates its Maven coordinates, without a version
 * @param module its name on the module path
 * @param type a class of it
 */
public record RequiredLibrary(String coordinates, String module, String type) {

    /**
     * Checks that libraries are there. Loads nothing else of them.
     *
     * @throws IllegalArgumentException if one is missing; names all that are, and how to add them
     */
    static void ensurePresent(String scheme, RequiredLibrary... libraries) {
        List<RequiredLibrary> missing =
                Stream.of(libraries).filter(library -> !library.isPresent()).toList();
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException(scheme + ": URIs need " + names(missing) + ": add "
                    + (missing.size() == 1 ? "it" : "them")
                    + (RequiredLibrary.class.getModule().isNamed() ? " and " + requirements(missing) : "")
                    + ", or use JdbcLockBackend.on(dataSource, options)");
        }
    }

    private boolean isPresent() {
        try {
            Class.forName(type, false, RequiredLibrary.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static String names(List<RequiredLibrary> libraries) {
        return libraries.stream().map(RequiredLibrary::coordinates).collect(Collectors.joining(" and "));
    }

    private static String requirements(List<RequiredLibrary> libraries) {
        return libraries.stream()
                .map(library -> "'requires " + library.module() + ";'")
                .collect(Collectors.joining(" and ", "write ", " into your module-info.java"));
    }
}
