package io.fenceline.hibernate;

import java.util.Map;
import org.hibernate.boot.registry.StandardServiceInitiator;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.engine.jdbc.spi.JdbcServices;
import org.hibernate.service.spi.ServiceContributor;
import org.hibernate.service.spi.ServiceRegistryImplementor;

/** Registers {@link FencedJdbcServices}, which refuses bulk statements on fenced tables. Found by Hibernate as a service; not for
 * direct use. */
public final class FenceServices implements ServiceContributor {

    /** Creates the contributor; called by Hibernate. */
    public FenceServices() {}

    @Override
    public void contribute(StandardServiceRegistryBuilder registry) {
        HibernateVersion.ensureSupported(); // here, since nothing of ours is called earlier
        registry.addInitiator(new StandardServiceInitiator<JdbcServices>() {
            @Override
            public JdbcServices initiateService(Map<String, Object> settings, ServiceRegistryImplementor services) {
                return new FencedJdbcServices();
            }

            @Override
            public Class<JdbcServices> getServiceInitiated() {
                return JdbcServices.class;
            }
        });
    }
}
