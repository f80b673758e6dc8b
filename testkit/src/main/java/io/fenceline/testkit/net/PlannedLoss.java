package io.fenceline.testkit.net;

import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * A planned loss of a request or of its reply.
 *
 * @param request recognises it
 * @param kind what is to be lost
 * @param lost completes with the request when that was done
 */
record PlannedLoss(Predicate<byte[]> request, Kind kind, CompletableFuture<byte[]> lost) {

    /** The message that is to be lost. */
    enum Kind {
        REQUEST,
        REPLY
    }
}
