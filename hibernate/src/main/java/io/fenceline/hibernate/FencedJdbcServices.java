package io.fenceline.hibernate;

import org.hibernate.engine.jdbc.internal.JdbcServicesImpl;
import org.hibernate.sql.exec.spi.JdbcMutationExecutor;

/** Hibernate's own services, except that a statement of the program's passes {@link BulkGate} before it is sent. */
final class FencedJdbcServices extends JdbcServicesImpl {

    private static final long serialVersionUID = 1L;

    private transient BulkGate bulk = new BulkGate(super.getJdbcMutationExecutor());

    FencedJdbcServices() {}

    @Override
    public JdbcMutationExecutor getJdbcMutationExecutor() {
        return bulk;
    }
}
