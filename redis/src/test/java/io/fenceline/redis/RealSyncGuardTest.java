package io.fenceline.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;

/**
 * With SyncGuard itself. Runs where {@code FENCELINE_SYNCGUARD} names a folder in which {@code npm install syncguard@2 ioredis@5}
 * was run, and is skipped elsewhere: {@link SyncGuardInteropTest} shows the same with a client that acts like SyncGuard.
 */
class RealSyncGuardTest extends SyncGuardInteropContract {

    private static final String VARIABLE = "FENCELINE_SYNCGUARD";

    @Override
    SyncGuardPeer open(int port, String prefix) {
        Path folder = Path.of(System.getenv().getOrDefault(VARIABLE, "no-such-folder"));
        assumeTrue(
                RealSyncGuard.isIn(folder),
                "NOT SHOWN: that SyncGuard itself sees our locks and we see its. Set " + VARIABLE
                        + " to a folder with node_modules of syncguard@2 and ioredis@5, and have node on the PATH");
        return RealSyncGuard.start(folder, port, prefix);
    }
}
