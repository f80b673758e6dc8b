package io.fenceline.spring;

import io.fenceline.FenceStamp;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The resources that a transaction has written, as far as it is known: those that it has entered itself, and those of entities that a grant
 * writes once. To enter them again is no second write of the grant; but going back to a savepoint may have undone the first one, and so may
 * databases after a deadlock.
 */
final class WrittenResources {

    private record Entered(ConnectionHolder holder, FenceStamp stamp, List<String> resources)
            implements TransactionSynchronization {}

    private WrittenResources() {}

    /** Remembers until the end of the transaction what it enters itself. */
    static void add(ConnectionHolder holder, FenceStamp stamp, List<String> resources) {
        TransactionSynchronizationManager.registerSynchronization(new Entered(holder, stamp, resources));
    }

    static Map<String, Collection<FenceStamp>> enteredIn(@Nullable ConnectionHolder holder) {
        Map<String, Collection<FenceStamp>> found = new TreeMap<>();
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            for (TransactionSynchronization each : TransactionSynchronizationManager.getSynchronizations()) {
                if (each instanceof Entered entered && entered.holder() == holder) {
                    add(found, entered.resources(), entered.stamp());
                }
            }
        }
        return found;
    }

    /** Returns what was written, and removes it from what is to be entered. Sessions are flushed if they have entities that are written once. */
    static Map<String, Collection<FenceStamp>> takeFrom(
            Map<String, Collection<FenceStamp>> entries, ConnectionHolder holder) {
        Map<String, Collection<FenceStamp>> written = enteredIn(holder);
        if (TransactionFences.HIBERNATE) {
            Set<String> flushed = SessionStamps.flushOnce(holder.getConnection());
            entries.forEach((resource, stamps) -> {
                if (flushed.contains(resource)) {
                    stamps.forEach(stamp -> add(written, List.of(resource), stamp));
                }
            });
        }
        written.forEach((resource, stamps) -> entries.computeIfPresent(resource, (name, wanted) -> {
            List<FenceStamp> others = new ArrayList<>(wanted);
            others.removeAll(stamps);
            return others.isEmpty() ? null : others;
        }));
        return written;
    }

    static void add(Map<String, Collection<FenceStamp>> entries, List<String> resources, FenceStamp stamp) {
        for (String resource : resources) {
            entries.computeIfAbsent(resource, name -> new LinkedHashSet<>()).add(stamp);
        }
    }
}
