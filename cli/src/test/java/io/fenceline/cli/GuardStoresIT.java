package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.output.ExitCode;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code guard} tells of fences and does to them, where their names are kept as bytes. */
class GuardStoresIT {

    @TempDir
    private Path folder;

    private TestStore store;

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void worksOnMariaDb() {
        store = StoreKind.MARIADB.open(folder);
        claimsShowsListsRaisesAndRebinds();
    }

    @Test
    void worksOnH2() {
        store = TestStore.at("h2:" + folder.resolve("locks"), file -> false);
        claimsShowsListsRaisesAndRebinds();
    }

    private void claimsShowsListsRaisesAndRebinds() {
        assertThat(done("guard", "claim", "--key", "order:42", "--token", "34", "orders/42"))
                .contains("000000000000034");
        assertThat(store.run("guard", "claim", "--key", "order:42", "--token", "33", "orders/42")
                        .exitCode())
                .isEqualTo(ExitCode.TOKEN_REFUSED);
        assertThat(done("guard", "show", "orders/42")).containsPattern("lock key +order:42");
        assertThat(done("guard", "bump", "--at-least", "77", "orders/42")).contains("000000000000077");
        assertThat(done("guard", "claim", "--key", "käse", "--token", "1", "users/käse"))
                .contains("käse");
        assertThat(done("guard", "ls", "orders/")).contains("orders/42").doesNotContain("users");
        assertThat(List.of(done("guard", "ls").split("\n"))).hasSize(3);
        done("guard", "rebind", "--from", "order:42", "--to", "orders", "orders/42");
        assertThat(done("guard", "claim", "--key", "orders", "--token", "2", "orders/42"))
                .contains("000000000000002");
        assertThat(done("schema", "check")).isNotNull();
        assertThat(done("schema", "print")).contains("fenceline_lock").contains("fenceline_fences");
        assertThat(done("exec", "--claim", "invoice:1", "k", "--", "true")).isEmpty();
    }

    private String done(String... arguments) {
        CommandRun run = store.run(arguments);
        assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK);
        return run.out();
    }
}
