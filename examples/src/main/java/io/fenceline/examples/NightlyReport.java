package io.fenceline.examples;

import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LeaseLostException;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Work under a lock that may take longer than anybody expected. */
public final class NightlyReport {

    private final Locks locks;

    /** Makes a report on these locks. */
    public NightlyReport(Locks locks) {
        this.locks = locks;
    }

    /** Runs if no other node does; a lost lease becomes a {@link LeaseLostException}, and interrupts the work. */
    public int runOnce(List<String> customers) throws InterruptedException {
        LockOptions options = LockOptions.defaults()
                .withTtl(Duration.ofSeconds(30)) // a crashed node holds the others up for so long
                .withMaxWait(Duration.ZERO) // somebody else is at it: fine
                .withHolder(Holder.of("report on node 3"))
                .withInterruptOnLoss();

        return locks.call("nightly-report", options, lease -> {
            int sent = 0;
            for (String customer : customers) {
                lease.ensureRemaining(Duration.ofSeconds(2)); // a mail cannot be taken back
                send(customer, lease.idempotencyKey("mail-" + sent));
                sent++;
            }
            return sent;
        });
    }

    /** The same for code that wants to decide by itself. */
    public Optional<Lease> start(Runnable stopWork) {
        Optional<Lease> lease = locks.tryAcquire("nightly-report");
        lease.ifPresent(held -> held.lost().thenAccept(loss -> stopWork.run()));
        return lease;
    }

    private void send(String customer, String idempotencyKey) {
        System.Logger log = System.getLogger(NightlyReport.class.getName());
        log.log(System.Logger.Level.DEBUG, "mail to {0}, once: {1}", customer, idempotencyKey);
    }
}
