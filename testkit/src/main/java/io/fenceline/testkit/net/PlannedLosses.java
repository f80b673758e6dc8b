package io.fenceline.testkit.net;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** The planned losses of a proxy. Each applies to one request of one connection. */
final class PlannedLosses {

    private final Queue<PlannedLoss> set = new ConcurrentLinkedQueue<>();

    CompletableFuture<byte[]> add(Predicate<byte[]> request, PlannedLoss.Kind kind) {
        PlannedLoss loss = new PlannedLoss(request, kind, new CompletableFuture<>());
        set.add(loss);
        return loss.lost();
    }

    boolean isEmpty() {
        return set.isEmpty();
    }

    /** Takes the first planned loss that a request matches. */
    Optional<PlannedLoss> take(byte[] request) {
        return set.stream()
                .filter(loss -> matches(loss, request))
                .findFirst()
                .filter(set::remove); // another connection's request may have been first
    }

    void clear() {
        for (PlannedLoss loss = set.poll(); loss != null; loss = set.poll()) {
            loss.lost().cancel(false);
        }
    }

    private boolean matches(PlannedLoss loss, byte[] request) {
        try {
            return loss.request().test(request.clone());
        } catch (RuntimeException e) {
            set.remove(loss);
            loss.lost().completeExceptionally(e);
            return false;
        }
    }
}
