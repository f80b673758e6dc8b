package io.fenceline.testkit.net;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;

/** Requests that are waited for. Each trap takes one request of one connection. */
final class Traps {

    private final Queue<Trap> set = new ConcurrentLinkedQueue<>();

    CompletableFuture<byte[]> add(Predicate<byte[]> request, Trap.Kind kind) {
        Trap trap = new Trap(request, kind, new CompletableFuture<>());
        set.add(trap);
        return trap.lost();
    }

    boolean isEmpty() {
        return set.isEmpty();
    }

    /** Takes the first trap that a request springs. */
    Optional<Trap> spring(byte[] request) {
        return set.stream()
                .filter(trap -> springs(trap, request))
                .findFirst()
                .filter(set::remove); // another connection's request may have been first
    }

    void clear() {
        for (Trap trap = set.poll(); trap != null; trap = set.poll()) {
            trap.lost().cancel(false);
        }
    }

    private boolean springs(Trap trap, byte[] request) {
        try {
            return trap.request().test(request.clone());
        } catch (RuntimeException e) {
            set.remove(trap);
            trap.lost().completeExceptionally(e);
            return false;
        }
    }
}
