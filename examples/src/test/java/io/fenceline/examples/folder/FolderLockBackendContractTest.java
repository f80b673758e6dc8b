package io.fenceline.examples.folder;

import io.fenceline.testkit.BackendFixture;
import io.fenceline.testkit.LockBackendContract;
import io.fenceline.testkit.UriFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class FolderLockBackendContractTest extends LockBackendContract {

    @TempDir
    private Path folder;

    @Override
    protected BackendFixture newFixture() {
        return UriFixture.of("folder:" + folder + "/{}");
    }
}
