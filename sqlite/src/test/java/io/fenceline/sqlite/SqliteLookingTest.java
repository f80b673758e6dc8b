package io.fenceline.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Backends;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceCatalog;
import io.fenceline.jdbc.trigger.TriggerControl;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.LockCatalog;
import io.fenceline.spi.SchemaControl;
import io.fenceline.spi.SelfDiagnosis;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading commands create no file, and see one that another process creates meanwhile. */
@Tag("G8")
class SqliteLookingTest {

    private static final LockKey KEY = LockKey.of("nightly");
    private static final Holder OPERATOR = Holder.of("operator");

    @TempDir
    Path folder;

    @Test
    void makesNoFileForSqlite() {
        try (LockBackend backend = Backends.open("sqlite:" + folder.resolve("locks.db"))) {
            look(backend);
            assertThat(ability(backend, SelfDiagnosis.class).diagnose())
                    .first()
                    .satisfies(finding -> assertThat(finding.detail()).contains("the first lock makes it"));
            assertThat(folder).isEmptyDirectory();

            change(backend);
        }
    }

    @Test
    void seesAFileOfSqliteThatAnotherMadeMeanwhile() {
        String uri = "sqlite:" + folder.resolve("locks.db");
        try (LockBackend looking = Backends.open(uri);
                LockBackend working = Backends.open(uri)) {
            assertThat(looking.isLocked(KEY)).isFalse();

            change(working);

            assertThat(looking.isLocked(KEY)).isTrue();
        }
    }

    private static <T> T ability(LockBackend backend, Class<T> type) {
        return backend.ability(type).orElseThrow();
    }

    /** Does all that looks, and finds nothing. */
    private static void look(LockBackend backend) {
        assertThat(backend.lookup(KEY)).isEmpty();
        assertThat(backend.lookup(LockId.random())).isEmpty();
        assertThat(backend.isLocked(KEY)).isFalse();
        assertThat(ability(backend, LockCatalog.class).list("", 10)).isEmpty();
        assertThat(ability(backend, LockCatalog.class).lastToken(KEY)).isEmpty();
        assertThat(ability(backend, LockCatalog.class).forceRelease(KEY, OPERATOR))
                .isEmpty();
        assertThat(ability(backend, FenceCatalog.class).list("", 10)).isEmpty();
        assertThat(ability(backend, FenceCatalog.class).rebind("row", KEY, LockKey.of("other"), OPERATOR))
                .isFalse();
        assertThat(ability(backend, TriggerControl.class).observed()).isEmpty();
        assertThat(ability(backend, SchemaControl.class).schemaProblems()).isNotEmpty();
        assertThat(ability(backend, SchemaControl.class).schemaScript()).isNotEmpty();
    }

    /** The first change makes what it needs. */
    private static void change(LockBackend backend) {
        AcquireRequest request = AcquireRequest.of(KEY, LockId.random(), Duration.ofMinutes(1), Holder.of("me"));
        assertThat(backend.acquire(request)).isInstanceOf(Granted.class);
        assertThat(backend.isLocked(KEY)).isTrue();
        assertThat(ability(backend, SchemaControl.class).schemaProblems()).isEmpty();
    }
}
