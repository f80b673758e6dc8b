package io.fenceline.hibernate;

import io.fenceline.telemetry.LockListener;
import java.lang.reflect.AnnotatedElement;
import org.hibernate.SessionFactory;
import org.hibernate.SessionFactoryObserver;
import org.hibernate.boot.Metadata;
import org.hibernate.boot.spi.BootstrapContext;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.event.service.spi.EventListenerRegistry;
import org.hibernate.integrator.spi.Integrator;
import org.hibernate.mapping.PersistentClass;

/**
 * Guards the {@link Fenced} entities of every session factory. Hibernate finds it as a service, so the jar on the class path
 * suffices. Factories without such entities are not changed.
 *
 * <p>Its settings are Hibernate settings:
 *
 * <ul>
 *   <li>{@value #TABLE}: the name of the fence table, {@code fenceline_fences} unless set
 *   <li>{@value #LISTENERS}: a {@link LockListener} or a collection of them, called on refusals
 *   <li>{@value #SCHEMA}: {@code check}, the default, fails when the factory is built and the fence table is missing; {@code none} does not
 *       check
 * </ul>
 */
public final class FenceIntegrator implements Integrator {

    /** The setting with the name of the fence table. */
    public static final String TABLE = "fenceline.table";

    /** The setting with the listeners of refusals. */
    public static final String LISTENERS = "fenceline.listeners";

    /** The setting that controls the check for the fence table. */
    public static final String SCHEMA = "fenceline.schema";

    /** Creates the integrator; called by Hibernate. */
    public FenceIntegrator() {}

    @Override
    public void integrate(Metadata metadata, BootstrapContext bootstrap, SessionFactoryImplementor factory) {
        if (metadata.getEntityBindings().stream().noneMatch(FenceIntegrator::concerns)) {
            return;
        }
        FenceSettings settings = FenceSettings.of(factory.getProperties());
        FenceGate gate = settings.gate(factory);
        new FenceListeners(gate).register(factory.getServiceRegistry().requireService(EventListenerRegistry.class));
        factory.addObserver(new SessionFactoryObserver() {
            private static final long serialVersionUID = 1L;

            @Override
            public void sessionFactoryCreated(SessionFactory created) {
                new MappingCheck(gate).check(factory);
                settings.checkSchema(gate);
                gate.open(factory);
            }

            @Override
            public void sessionFactoryClosing(SessionFactory closing) {
                gate.beforeClose();
            }

            @Override
            public void sessionFactoryClosed(SessionFactory closed) {
                gate.close();
            }
        });
    }

    /** Returns whether an entity has an annotation of this module, valid or not. */
    private static boolean concerns(PersistentClass entity) {
        Class<?> type = entity.getClassName() == null ? null : entity.getMappedClass();
        return type != null
                && (type.isAnnotationPresent(Fenced.class)
                        || MappingCheck.members(type).anyMatch(FenceIntegrator::isColumn));
    }

    private static boolean isColumn(AnnotatedElement member) {
        return member.isAnnotationPresent(FenceColumn.class);
    }
}
