package io.fenceline.examples.payment;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The shop's orders. */
public final class Orders {

    private final DataSource database;

    /** Uses a database. */
    public Orders(DataSource database) {
        this.database = database;
    }

    /** Makes the table. */
    public void install() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT NOT NULL)");
        }
    }

    /** Takes an order, which is to be paid. */
    public void open(String order) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO orders VALUES (?, 'open')")) {
            insert.setString(1, order);
            insert.executeUpdate();
        }
    }

    /** Returns how far an order has come. */
    public String status(String order) throws SQLException {
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement("SELECT status FROM orders WHERE id = ?")) {
            query.setString(1, order);
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? row.getString(1) : "unknown";
            }
        }
    }

    /** Moves an order on in a transaction of the caller's; tells whether it was there. */
    static boolean move(Connection connection, String order, String from, String to) throws SQLException {
        String sql = "UPDATE orders SET status = ? WHERE id = ? AND status = ?";
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            update.setString(1, to);
            update.setString(2, order);
            update.setString(3, from);
            return update.executeUpdate() == 1;
        }
    }
}
