package io.fenceline.examples;

import io.fenceline.Locks;
import io.fenceline.RevocationReason;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.Leadership;
import io.fenceline.election.LeadershipListener;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.BlockingQueue;

/** One node of a group books the orders; another does when it fails. */
public final class OrderBooker implements LeadershipListener {

    private final JdbcFenceGuard guard;
    private final BlockingQueue<Long> orders;

    /** Makes a node that books what it finds in a queue. */
    public OrderBooker(JdbcFenceGuard guard, BlockingQueue<Long> orders) {
        this.guard = guard;
        this.orders = orders;
    }

    /** Takes part until the election is closed. */
    public Election join(Locks locks, String node) {
        return Election.of(locks, "booking")
                .candidate(Candidate.of(node))
                .claims(guard, "bookings") // before onElected: no earlier leader writes any more
                .join(this); // onElected and onRevoked once for each term, one after the other
    }

    @Override
    public void onElected(Leadership term) throws InterruptedException, SQLException {
        while (term.isLeading()) { // the thread is interrupted when the term ends
            long order = orders.take();
            guard.write("bookings", term.required(), connection -> book(connection, order));
        }
    }

    @Override
    public void onRevoked(Leadership term, RevocationReason reason) {
        System.getLogger(OrderBooker.class.getName()).log(System.Logger.Level.INFO, "{0} ended: {1}", term, reason);
    }

    private static int book(Connection connection, long order) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO booking (order_id) VALUES (?)")) {
            insert.setLong(1, order);
            return insert.executeUpdate();
        }
    }
}
