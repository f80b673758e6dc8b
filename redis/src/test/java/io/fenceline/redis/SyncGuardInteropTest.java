package io.fenceline.redis;

/** With a client that acts like SyncGuard. */
class SyncGuardInteropTest extends SyncGuardInteropContract {

    @Override
    SyncGuardPeer open(int port, String prefix) {
        return new SyncGuardDouble(port, prefix);
    }
}
