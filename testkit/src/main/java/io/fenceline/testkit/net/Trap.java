package io.fenceline.testkit.net;

import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * A request that is waited for, to be lost or to have its reply lost.
 *
 * @param request recognises it
 * @param kind what is to be lost
 * @param lost completes with the request when that was done
 */
record Trap(Predicate<byte[]> request, Kind kind, CompletableFuture<byte[]> lost) {

    /** The message that is to be lost. */
    enum Kind {
        REQUEST,
        REPLY
    }
}
