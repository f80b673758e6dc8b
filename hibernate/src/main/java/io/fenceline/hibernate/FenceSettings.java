package io.fenceline.hibernate;

import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.spi.SchemaControl;
import io.fenceline.telemetry.LockListener;
import io.fenceline.telemetry.LockListeners;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.hibernate.HibernateException;
import org.hibernate.engine.jdbc.spi.JdbcServices;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.jspecify.annotations.Nullable;

/**
 * Parsed settings with the prefix {@code fenceline.}.
 */
record FenceSettings(GuardOptions options, List<LockListener> listeners, boolean checks) {

    static FenceSettings of(Map<String, Object> settings) {
        // Hibernate's pools turn auto-commit off. The factory's connections are in no session's transaction.
        GuardOptions options = GuardOptions.defaults().withAutoCommitOff();
        Object table = settings.get(FenceIntegrator.TABLE);
        if (table != null) {
            options = options.withTable(table.toString());
        }
        List<LockListener> listeners = listeners(settings.get(FenceIntegrator.LISTENERS));
        return new FenceSettings(
                options.withListeners(listeners.toArray(LockListener[]::new)),
                listeners,
                checks(settings.get(FenceIntegrator.SCHEMA)));
    }

    private static List<LockListener> listeners(@Nullable Object value) {
        if (value == null) {
            return List.of();
        }
        Collection<?> all = value instanceof Collection<?> several ? several : List.of(value);
        return all.stream().map(FenceSettings::listener).toList();
    }

    private static LockListener listener(Object value) {
        if (value instanceof LockListener listener) {
            return listener;
        }
        throw new IllegalArgumentException("setting '" + FenceIntegrator.LISTENERS + "' has a "
                + value.getClass().getName() + "; it takes a LockListener or a collection of them, as objects");
    }

    private static boolean checks(@Nullable Object value) {
        String text = value == null ? "check" : value.toString().toLowerCase(Locale.ROOT);
        if (!text.equals("check") && !text.equals("none")) {
            throw new IllegalArgumentException(
                    "setting '" + FenceIntegrator.SCHEMA + "' is '" + value + "'; it is 'check' or 'none'");
        }
        return text.equals("check");
    }

    FenceGate gate(SessionFactoryImplementor factory) {
        JdbcServices services = factory.getServiceRegistry().requireService(JdbcServices.class);
        if (!(services instanceof FencedJdbcServices ours)) {
            throw new HibernateException("another " + JdbcServices.class.getSimpleName() + " is in use, "
                    + services.getClass().getName()
                    + ", so HQL and SQL statements would bypass the fences of @Fenced"
                    + " entities; remove it, so that fenceline-hibernate can set its own");
        }
        FactoryDataSource connections = new FactoryDataSource(services.getBootstrapJdbcConnectionAccess());
        LockListeners observers = new LockListeners(listeners);
        return new FenceGate(SessionFenceTable.of(connections, options, observers), observers, ours.gate());
    }

    void checkSchema(FenceGate gate) {
        if (!checks) {
            return;
        }
        SchemaControl schema = gate.table().often().schema();
        List<String> problems = schema.schemaProblems();
        if (!problems.isEmpty()) {
            throw new HibernateException("the fence table of @Fenced entities is missing or invalid: "
                    + String.join("; ", problems) + ". Create it with JdbcFenceGuard.on(dataSource).schema() or in your"
                    + " migrations, or set '" + FenceIntegrator.SCHEMA + "' to 'none' if it comes later");
        }
    }
}
