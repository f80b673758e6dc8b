package io.fenceline.spring.boot.autoconfigure;

import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** The resources, proxies and names that a native image would leave out. */
final class FencelineHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
        hints.resources().registerPattern("io/fenceline/**/*.sql").registerPattern("io/fenceline/**/*.lua");
        for (Class<?> guarded : List.of(
                Connection.class,
                DatabaseMetaData.class,
                Statement.class,
                PreparedStatement.class,
                CallableStatement.class)) {
            hints.proxies().registerJdkProxy(guarded);
        }
        hints.reflection() // PostgreSQL's driver makes it by its name
                .registerType(
                        TypeReference.of("io.fenceline.jdbc.postgresql.WakeableSocketFactory"),
                        MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
    }
}
