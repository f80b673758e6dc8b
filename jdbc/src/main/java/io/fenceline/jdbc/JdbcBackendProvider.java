package io.fenceline.jdbc;

import io.fenceline.jdbc.product.GuardScripts;
import io.fenceline.jdbc.product.LockDialect;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.Products;
import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.LockBackend;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Opens databases by URI, for instance {@code postgresql://ann@db1:5432/app}, with a small pool of its own. Makes the tables if
 * they are missing and the role may.
 */
public final class JdbcBackendProvider implements BackendProvider {

    /** Creates the provider; called by {@link java.util.ServiceLoader}. */
    public JdbcBackendProvider() {}

    @Override
    public Set<String> schemes() {
        return Products.withLocks().stream()
                .flatMap(dialect -> dialect.schemes().stream())
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public String usage() {
        return Products.withLocks().stream().map(LockDialect::usage).collect(Collectors.joining(", "));
    }

    @Override
    public Optional<String> schemaScript(String scheme) {
        LockDialect dialect = dialect(scheme);
        return Optional.of(dialect.script(new LockTable(LockTable.DEFAULT_NAME)) + "\n"
                + GuardScripts.beyondFences(dialect.product()));
    }

    private static LockDialect dialect(String scheme) {
        return Products.withLocks().stream()
                .filter(candidate -> candidate.schemes().contains(scheme))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no database has the scheme '" + scheme + "'"));
    }

    @Override
    public LockBackend open(String uri) {
        String scheme = uri.substring(0, Math.max(0, uri.indexOf(':'))).toLowerCase(Locale.ROOT);
        LockDialect dialect = dialect(scheme);
        return JdbcLockBackend.opened(dialect, dialect.open(uri), JdbcOptions.defaults());
    }
}
