package io.fenceline.cli;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A test of commands on a new SQLite store. */
abstract class CommandTest {

    @TempDir
    Path folder;

    TestStore store;

    @BeforeEach
    final void openStore() {
        store = TestStore.in(folder);
    }

    @AfterEach
    final void closeStore() {
        store.close();
    }
}
