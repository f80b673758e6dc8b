package io.fenceline.spring;

import io.fenceline.hibernate.Fencing;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceException;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
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

    /**
     * Flushes sessions that have entities of {@code FenceRule.ONCE} and work on the connection, and returns what they have written of these.
     * Translates what fails as a commit does.
     */
    static Set<String> flushOnce(Connection connection) {
        Set<String> written = new HashSet<>();
        TransactionSynchronizationManager.getResourceMap().forEach((factory, resource) -> {
            if (resource instanceof EntityManagerHolder holder) {
                try {
                    fencing(holder.getEntityManager())
                            .ifPresent(fencing -> written.addAll(fencing.flushOnce(connection)));
                } catch (PersistenceException e) {
                    throw factory instanceof EntityManagerFactoryInfo info && info.getJpaDialect() != null
                            ? DataAccessUtils.translateIfNecessary(e, info.getJpaDialect())
                            : e;
                }
            }
        });
        return written;
    }

    private static void each(Consumer<Fencing> action) {
        for (Object resource :
                TransactionSynchronizationManager.getResourceMap().values()) {
            if (resource instanceof EntityManagerHolder holder) {
                fencing(holder.getEntityManager()).ifPresent(action);
            }
        }
    }

    private static Optional<Fencing> fencing(EntityManager manager) {
        try {
            return Optional.of(Fencing.in(manager));
        } catch (IllegalStateException | PersistenceException e) {
            return Optional.empty(); // it has no fenced entity, is closed, or is not Hibernate's
        }
    }
}
