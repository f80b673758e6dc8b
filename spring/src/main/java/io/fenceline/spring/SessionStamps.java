package io.fenceline.spring;

import io.fenceline.hibernate.Fencing;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Sets the stamps of the thread's scopes in the Hibernate sessions of its transaction. Loaded only where Hibernate's guard is. */
final class SessionStamps {

    private SessionStamps() {}

    /** Sets all stamps for their resources, and the innermost one for the rest. Never throws: a session without a stamp writes nothing. */
    static void put() {
        List<FenceScope> outermostFirst = new ArrayList<>(FenceScope.current());
        Collections.reverse(outermostFirst);
        each(fencing -> {
            for (FenceScope scope : outermostFirst) {
                scope.resources().forEach(resource -> fencing.by(resource, scope.stamp()));
                fencing.by(scope.stamp());
            }
        });
    }

    static void end() {
        each(Fencing::end);
    }

    private static void each(Consumer<Fencing> action) {
        for (Object resource :
                TransactionSynchronizationManager.getResourceMap().values()) {
            if (resource instanceof EntityManagerHolder holder) {
                fencing(holder.getEntityManager(), action);
            }
        }
    }

    private static void fencing(EntityManager manager, Consumer<Fencing> action) {
        try {
            action.accept(Fencing.in(manager));
        } catch (IllegalStateException | PersistenceException e) {
            // It has no fenced entity, is closed, or is not Hibernate's.
        }
    }
}
