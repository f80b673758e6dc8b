package io.fenceline.jdbc.transaction;

import io.fenceline.spi.SchemaControl;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The tables of guards in a database, made by scripts. */
public final class GuardSchema implements SchemaControl {

    private final Transactions transactions;
    private final Names names;
    private final List<String> parts;

    /** Puts a user's names into statements. */
    @FunctionalInterface
    public interface Names {
        String in(String sql);
    }

    /** Creates the schema of some parts of a product's scripts. */
    public GuardSchema(Transactions transactions, Names names, String... parts) {
        this.transactions = transactions;
        this.names = names;
        this.parts = List.of(parts);
    }

    @Override
    public String schemaScript() {
        StringBuilder script = new StringBuilder();
        parts.forEach(part -> script.append(script(part)).append('\n'));
        return script.toString();
    }

    @Override
    public void installSchema() {
        if (schemaProblems().isEmpty()) {
            return;
        }
        transactions.atomically(connection -> {
            transactions.product().fences().lockSchema(connection);
            try (Statement statement = connection.createStatement()) {
                for (String sql : transactions.product().fences().statements(schemaScript())) {
                    statement.executeUpdate(sql);
                }
                return true;
            }
        });
    }

    @Override
    public List<String> schemaProblems() {
        return transactions.read(connection -> {
            List<String> problems = new ArrayList<>();
            for (String part : parts) {
                problems.addAll(transactions.product().fences().problems(connection, script(part)));
            }
            return problems;
        });
    }

    private String script(String part) {
        return names.in(transactions.product().fences().script(part));
    }
}
