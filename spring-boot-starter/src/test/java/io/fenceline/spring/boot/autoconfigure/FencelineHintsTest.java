package io.fenceline.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** What a native image must be told of. */
class FencelineHintsTest {

    private final RuntimeHints hints = new RuntimeHints();

    @Test
    void theRegistrarIsFoundAndNamesResourcesProxiesAndTypes() {
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(FencelineHints.class::isInstance)
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));

        assertThat(RuntimeHintsPredicates.resource().forResource("io/fenceline/jdbc/postgresql/lock-statements.sql"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.resource().forResource("io/fenceline/redis/acquire.lua"))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(Connection.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(TypeReference.of("io.fenceline.jdbc.postgresql.WakeableSocketFactory")))
                .accepts(hints);
    }
}
