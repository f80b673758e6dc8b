package io.fenceline.jdbc.guard;

import io.fenceline.jdbc.product.FenceDialect;
import io.fenceline.jdbc.product.FenceStep;
import io.fenceline.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.UnaryOperator;

/** Statements that are tried in turn until one admits, ready to run. */
final class Steps {

    private final FenceDialect dialect;
    private final List<Ready> steps;

    Steps(FenceDialect dialect, List<FenceStep> steps, UnaryOperator<String> names) {
        this.dialect = dialect;
        this.steps = steps.stream()
                .map(step -> new Ready(new Sql(names.apply(step.sql())), step.admits()))
                .toList();
    }

    /** Tells whether one of them admitted. An insert that another's forestalled is one that changed nothing. */
    boolean run(Connection connection, Object... values) throws SQLException {
        for (Ready step : steps) {
            if (changed(connection, step, values) == step.admits()) {
                return true;
            }
        }
        return false;
    }

    private int changed(Connection connection, Ready step, Object... values) throws SQLException {
        try {
            return step.sql().run(connection, values);
        } catch (SQLException e) {
            if (dialect.isForestalled(e)) {
                return 0;
            }
            throw e;
        }
    }

    private record Ready(Sql sql, int admits) {}
}
