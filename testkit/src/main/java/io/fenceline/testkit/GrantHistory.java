package io.fenceline.testkit;

import io.fenceline.Grant;
import io.fenceline.LockId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The grants of one key to several clients. Between two grants of which one had come back before the other was asked for, there
 * is an order, and tokens have to follow it.
 */
final class GrantHistory {

    private final Map<Long, LockId> owners = new HashMap<>();
    private final List<String> problems = new ArrayList<>();
    private long greatest;
    private int grants;

    /** Returns the greatest token that has come back; a grant that is asked for from now on has to exceed it. */
    synchronized long greatest() {
        return greatest;
    }

    /** Records a grant. */
    synchronized void add(Grant grant, long greatestBefore) {
        long token = grant.token().value();
        if (token <= greatestBefore) {
            problems.add("token " + token + " was granted after " + greatestBefore + " had been");
        }
        LockId owner = owners.putIfAbsent(token, grant.lockId());
        if (owner != null && !owner.equals(grant.lockId())) {
            problems.add("token " + token + " was granted twice");
        }
        greatest = Math.max(greatest, token);
        grants++;
        notifyAll();
    }

    synchronized void addProblem(String problem) {
        problems.add(problem);
        notifyAll();
    }

    synchronized List<String> problems() {
        return List.copyOf(problems);
    }

    /** Returns when there were some more grants, or a problem. */
    synchronized void awaitMore(int more, int limitSeconds) throws InterruptedException {
        int target = grants + more;
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
        while (grants < target && problems.isEmpty()) {
            long leftMillis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
            if (leftMillis <= 0) {
                throw new AssertionError(
                        (target - grants) + " of " + more + " grants are missing after " + limitSeconds + " s");
            }
            wait(leftMillis);
        }
    }
}
