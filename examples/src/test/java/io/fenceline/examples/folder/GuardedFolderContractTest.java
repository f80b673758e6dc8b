package io.fenceline.examples.folder;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;

class GuardedFolderContractTest extends FenceGuardContract {

    @TempDir
    private Path folder;

    @Override
    protected GuardFixture newFixture() {
        return new GuardFixture() {
            @Override
            public GuardedData open(FenceRule rule, LockListener... listeners) {
                return new Texts(new GuardedFolder(folder, rule, listeners));
            }

            @Override
            public void restart() {
                // nothing is kept in memory
            }

            @Override
            public void close() {}
        };
    }

    private record Texts(GuardedFolder folder) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return folder;
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            folder.write(resource, stamp, value);
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            folder.write(resource, stamp, null);
        }

        @Override
        public Optional<String> read(String resource) {
            return folder.read(resource);
        }
    }
}
