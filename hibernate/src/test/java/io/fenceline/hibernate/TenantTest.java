package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.jdbc.connections.spi.MultiTenantConnectionProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tenants with a schema each. After a conflict the reason is in the fences of the session's tenant. */
@Tag("R7")
@Tag("R12")
class TenantTest {

    private static final int REPEATABLE_READ = Connection.TRANSACTION_REPEATABLE_READ;

    private final HikariDataSource pool = new HikariDataSource();
    private final SessionFactory sessions = open(Store.POSTGRESQL.newGuardedUrl());

    private SessionFactory open(String url) {
        pool.setJdbcUrl(url);
        sql(
                "create table public.Invoice (id bigint primary key, status varchar(9), version int not null, lastFence bigint not null)");
        for (String tenant : List.of("first", "second")) {
            sql("create schema " + tenant
                    + "; create table %s.Invoice (like public.Invoice); create table %s.invoice_tags (invoice bigint, tags varchar(9));"
                            .formatted(tenant, tenant)
                    + " create table %s.fenceline_fences (like public.fenceline_fences including all)"
                            .formatted(tenant));
        }
        Configuration configuration = new Configuration();
        configuration.addAnnotatedClass(Invoice.class);
        configuration.getProperties().put("hibernate.multi_tenant_connection_provider", new Schemas(pool));
        configuration.setProperty("hibernate.dialect", "org.hibernate.dialect.PostgreSQLDialect");
        return configuration.buildSessionFactory();
    }

    @AfterEach
    void close() {
        sessions.close();
        pool.close();
    }

    @Test
    void aStaleHolderIsRefusedByTheFencesOfItsTenant() {
        write(2, session -> session.persist(new Invoice(1, "open")));

        Throwable failure = catchThrowable(() -> write(10, session -> {
            Invoice read = session.find(Invoice.class, 1L);
            write(20, other -> other.find(Invoice.class, 1L).status = "newer");
            read.status = "stale";
        }));

        assertThat(Fencing.refusal(failure)).isPresent();
    }

    @Test
    void aRightfulHolderIsNotRefusedByTheFencesOfOthers() {
        write(2, session -> session.persist(new Invoice(1, "open")));
        JdbcFenceGuard.on(pool).claim("invoice:1", stamp(900)); // in the schema of no tenant

        Throwable failure = catchThrowable(() -> write(10, session -> {
            Invoice read = session.find(Invoice.class, 1L);
            write(10, other -> other.find(Invoice.class, 1L).status = "again");
            read.status = "late";
        }));

        assertThat(failure).isNotNull();
        assertThat(Fencing.refusal(failure)).isEmpty();
    }

    private void write(long token, Consumer<Session> work) {
        try (Session session =
                sessions.withOptions().tenantIdentifier((Object) "second").openSession()) {
            session.doWork(connection -> connection.setTransactionIsolation(REPEATABLE_READ));
            session.beginTransaction();
            try {
                Fencing.in(session).by(stamp(token));
                work.accept(session);
                session.getTransaction().commit();
            } catch (RuntimeException e) {
                session.getTransaction().rollback();
                throw e;
            }
        }
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }

    private void sql(String text) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(text);
        } catch (SQLException e) {
            throw new IllegalStateException(text, e);
        }
    }

    /** Connections of one pool, whose schema is set for the tenant. */
    private record Schemas(HikariDataSource pool) implements MultiTenantConnectionProvider<String> {

        @Override
        public Connection getAnyConnection() throws SQLException {
            return pool.getConnection();
        }

        @Override
        public void releaseAnyConnection(Connection connection) throws SQLException {
            connection.close();
        }

        @Override
        public Connection getConnection(String tenant) throws SQLException {
            Connection connection = pool.getConnection();
            connection.setSchema(tenant);
            return connection;
        }

        @Override
        public void releaseConnection(String tenant, Connection connection) throws SQLException {
            connection.setSchema("public");
            connection.close();
        }

        @Override
        public boolean supportsAggressiveRelease() {
            return false;
        }

        @Override
        public boolean isUnwrappableAs(Class<?> type) {
            return false;
        }

        @Override
        public <T> T unwrap(Class<T> type) {
            throw new IllegalArgumentException("wraps nothing");
        }
    }
}
