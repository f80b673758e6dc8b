package io.fenceline.testkit;

import java.time.Duration;

/** A fixture whose store goes by real time and is found by its URI, so that other processes can use it. */
public interface ClientProcessFixture extends BackendFixture {

    /**
     * Returns the URI with which {@link io.fenceline.Backends#open} opens this store in another process.
     *
     * @return with a password if one is needed; it is handed on in the environment and not printed
     */
    String uri();

    /**
     * Returns whether a client that is stopped in the middle of an operation can hold up others for longer than the ttl, namely
     * until it continues or is killed, and they are told that it does. A store without a server, in which clients lock a file,
     * cannot help it; every other store can.
     *
     * @return whether it can
     */
    default boolean stoppedClientsHoldOthersUp() {
        return false;
    }

    /**
     * Returns what others may have to wait for.
     *
     * @return the ttl of the clients' leases
     */
    default Duration clientTtl() {
        return shortTtl();
    }

    /**
     * Returns what a busy machine may add to the ttl before a contract calls it a failure.
     *
     * @return long, since it is waited for only if something is wrong
     */
    default Duration allowance() {
        return Duration.ofSeconds(10);
    }
}
