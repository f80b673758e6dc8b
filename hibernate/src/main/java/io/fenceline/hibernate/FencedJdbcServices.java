package io.fenceline.hibernate;

import java.util.Map;
import org.hibernate.engine.jdbc.internal.JdbcServicesImpl;
import org.hibernate.engine.jdbc.spi.SqlStatementLogger;
import org.hibernate.sql.exec.spi.JdbcMutationExecutor;
import org.hibernate.sql.exec.spi.JdbcSelectExecutor;

/** Hibernate's JDBC services, with {@link StatementGate} before every statement. */
final class FencedJdbcServices extends JdbcServicesImpl {

    private static final long serialVersionUID = 1L;

    private transient StatementGate gate = new StatementGate(new SqlStatementLogger());
    private transient BulkGate bulk = new BulkGate(super.getJdbcMutationExecutor());
    private transient SelectGate selects = new SelectGate(super.getJdbcSelectExecutor());

    FencedJdbcServices() {}

    @Override
    public void configure(Map<String, Object> settings) {
        super.configure(settings);
        gate = new StatementGate(super.getSqlStatementLogger());
    }

    StatementGate gate() {
        return gate;
    }

    @Override
    public SqlStatementLogger getSqlStatementLogger() {
        return gate;
    }

    @Override
    public JdbcMutationExecutor getJdbcMutationExecutor() {
        return bulk;
    }

    /** {@inheritDoc} Queries can write: on PostgreSQL, Hibernate changes several tables with one query. */
    @Override
    public JdbcSelectExecutor getJdbcSelectExecutor() {
        return selects;
    }
}
