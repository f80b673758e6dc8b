package io.fenceline.jdbc.hsqldb;

import static io.fenceline.jdbc.sql.DriverErrors.Meaning.misconfigured;

import io.fenceline.jdbc.product.ByteNameFences;
import io.fenceline.jdbc.product.CommonFindings;
import io.fenceline.jdbc.product.LockStore;
import io.fenceline.jdbc.product.LockTable;
import io.fenceline.jdbc.product.NoticeTable;
import io.fenceline.jdbc.product.OpenedDatabase;
import io.fenceline.jdbc.product.RequiredLibrary;
import io.fenceline.jdbc.product.TableProduct;
import io.fenceline.jdbc.product.TextComparison;
import io.fenceline.jdbc.product.TransactionCheck;
import io.fenceline.jdbc.product.UriPool;
import io.fenceline.jdbc.sql.DriverErrors;
import io.fenceline.spi.SelfDiagnosis;
import io.fenceline.spi.WaiterNotices;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/**
 * HSQLDB from version 2.7 on, the example of a product in one class. It lacks what only operators use: settings that are examined, and a
 * catalog of fences.
 */
public final class Hsqldb extends TableProduct {

    private static final String NAME = "HSQL Database Engine";

    /** Creates the product; called by {@link java.util.ServiceLoader}. */
    public Hsqldb() {
        super(
                NAME,
                new Errors(),
                new Fences(),
                new RequiredLibrary("org.hsqldb:hsqldb", "org.hsqldb", "org.hsqldb.jdbc.JDBCDriver"));
    }

    /** {@inheritDoc} Connections do not expose their transaction's state, so only those with auto-commit on are accepted. */
    @Override
    public boolean isInTransaction(Connection connection) throws SQLException {
        return !connection.getAutoCommit();
    }

    @Override
    public boolean hasNetworkTimeout() {
        return false;
    }

    @Override
    public SelfDiagnosis diagnosis(LockStore store) {
        return () -> List.of(CommonFindings.schema(schema(store), "as this version makes it"));
    }

    @Override
    public Optional<WaiterNotices> notices(LockStore store) {
        return Optional.of(new NoticeTable(store));
    }

    @Override
    public Set<String> schemes() {
        return Set.of("hsqldb");
    }

    @Override
    public String usage() {
        return "hsqldb:file:PATH";
    }

    /** The URI is the driver's, without {@code jdbc:}. Unless told so, HSQLDB lets an interrupted thread go on without the lock it waits for. */
    @Override
    protected OpenedDatabase connect(String uri) {
        String url = "jdbc:" + uri + ";hsqldb.tx=mvcc;hsqldb.tx_interrupt_rollback=true";
        LockTable table = new LockTable(LockTable.DEFAULT_NAME);
        return UriPool.open(url, new Properties(), errors(), Optional.empty(), table);
    }

    private static final class Errors extends DriverErrors {

        private static final int NOT_FOUND = -5501;

        Errors() {
            super("HSQLDB");
        }

        @Override
        protected Meaning meaning(SQLException own) {
            return own.getErrorCode() == NOT_FOUND
                    ? misconfigured("a table is missing, or the user lacks a right; run 'fenceline schema install'")
                    : Meaning.ofState(own.getSQLState());
        }

        /** {@inheritDoc} A connection may break while a statement runs. */
        @Override
        protected boolean isRefusal(SQLException own) {
            return !String.valueOf(own.getSQLState()).startsWith("08");
        }
    }

    private static final class Fences extends ByteNameFences {

        private static final int DUPLICATE_KEY = -104;

        /** Conflicts have an SQLSTATE of their own. */
        Fences() {
            super(DUPLICATE_KEY, Set.of());
        }

        /** {@inheritDoc} Which texts are equal depends on the collation; most ignore spaces at the end, and some case. */
        @Override
        public TextComparison comparison(Connection connection, String table, String column) {
            return TextComparison.LOOSE;
        }

        /** {@inheritDoc} A conflict undoes all of the transaction, and what makes a table commits it. */
        @Override
        public TransactionCheck watch(Connection connection) throws SQLException {
            return TransactionCheck.byId(NAME, connection, sql.sql("transaction"));
        }
    }
}
