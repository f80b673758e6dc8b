package io.fenceline.examples.payment;

import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.outbox.Outbox;
import io.fenceline.jdbc.outbox.OutboxOptions;
import io.fenceline.jdbc.outbox.OutboxRelay;
import io.fenceline.jdbc.outbox.RelayOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.sqlite.SQLiteDataSource;

/** A shop with its database, its locks and its gateway, in which the worst happens: a worker is stopped before the charge. */
public final class Shop implements AutoCloseable {

    /** Nobody renews while a process is stopped; so no renewal and a short time stand for the stop. */
    private static final LockOptions STOPPED =
            LockOptions.defaults().withTtl(Duration.ofMillis(300)).withoutRenewal();

    private final FakeGateway gateway = new FakeGateway();
    private final Locks locks;
    private final JdbcFenceGuard guard;
    private final Orders orders;
    private final Outbox outbox;

    /** Opens a shop with its files in a folder. */
    public Shop(Path folder) throws IOException, SQLException {
        SQLiteDataSource database = new SQLiteDataSource();
        database.setUrl("jdbc:sqlite:" + folder.resolve("shop.db"));
        this.locks = Locks.open("sqlite:" + folder.resolve("locks.db"));
        this.guard = JdbcFenceGuard.on(database);
        this.orders = new Orders(database);
        this.outbox = Outbox.on(database, OutboxOptions.named("payments"));
        guard.schema().installSchema();
        outbox.installSchema();
        orders.install();
    }

    /** Returns a worker that charges by itself. */
    public Worker direct() {
        return new DirectPayment(guard, orders, new GatewayClient(gateway.uri()));
    }

    /** Returns a worker that leaves the charge to the relay. */
    public Worker throughOutbox() {
        return new OutboxPayment(guard, orders, outbox);
    }

    /**
     * Has an order paid by a worker that is stopped when it is about to, and by a second one that takes over when the lock has
     * expired; then the first wakes up.
     *
     * @return what the first one was told in the end
     */
    public String payWithAStop(String order, Worker worker) throws Exception {
        orders.open(order);
        try (Lease first = locks.acquire(order, STOPPED)) {
            worker.pay(order, first, () -> takeOver(order, worker));
            return "nothing";
        } catch (StaleTokenException e) {
            return String.valueOf(e.getMessage());
        } finally {
            relay();
        }
    }

    private void takeOver(String order, Worker worker) {
        try (Lease second = locks.acquire(order)) { // when the first one's lease has expired
            worker.pay(order, second, () -> {});
        } catch (Exception e) {
            throw new IllegalStateException("the second worker failed", e);
        }
    }

    /** Delivers what is in the outbox. A relay of a real shop runs all the time: {@link Relays}. */
    public void relay() throws InterruptedException {
        try (Lease lease = locks.acquire("payments-relay")) {
            OutboxRelay relay = new OutboxRelay(
                    outbox,
                    new ChargeDelivery(new GatewayClient(gateway.uri())),
                    () -> lease.isHeld() ? Optional.of(lease.stamp()) : Optional.empty(),
                    RelayOptions.defaults().withCompensation(new CancelledOrder(locks, guard)));
            boolean worked;
            do {
                worked = relay.round();
            } while (worked);
        }
    }

    /** Returns how often the customer of an order paid. */
    public long charges(String order) {
        return gateway.charges().stream().filter(order::equals).count();
    }

    /** Returns the orders. */
    public Orders orders() {
        return orders;
    }

    /** Returns the messages to the gateway. */
    public Outbox outbox() {
        return outbox;
    }

    /** Returns the locks. */
    public Locks locks() {
        return locks;
    }

    @Override
    public void close() {
        locks.close();
        gateway.close();
    }
}
