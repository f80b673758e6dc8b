package io.fenceline.spring;

import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** Warns, once, of a lock that is taken while the thread has a JPA session, as each request has under {@code spring.jpa.open-in-view}. */
final class OpenSessionWarning {

    private static final System.Logger LOG = System.getLogger("io.fenceline.spring");

    private static final boolean JPA = ClassUtils.isPresent(
            "org.springframework.orm.jpa.EntityManagerHolder", OpenSessionWarning.class.getClassLoader());

    private final AtomicBoolean given = new AtomicBoolean();

    /** Called when a lock has been taken. */
    void warn() {
        if (JPA && !given.get() && !CallerTransaction.isActive() && Sessions.isOpen() && !given.getAndSet(true)) {
            LOG.log(
                    Level.WARNING,
                    "a lock was taken while the thread has a JPA session, as each request has under"
                            + " spring.jpa.open-in-view. Entities that the session has read before the lock are not read"
                            + " again under it, so updates can be lost; and its connection is busy while the call"
                            + " claims with another one. Set spring.jpa.open-in-view=false");
        }
    }

    /** The part that needs spring-orm. */
    private static final class Sessions {

        static boolean isOpen() {
            return TransactionSynchronizationManager.getResourceMap().values().stream()
                    .anyMatch(EntityManagerHolder.class::isInstance);
        }
    }
}
