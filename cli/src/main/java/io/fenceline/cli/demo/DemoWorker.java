package io.fenceline.cli.demo;

import io.fenceline.Holder;
import io.fenceline.Lease;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.guard.StaleTokenException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A process of the demo: deposits an amount under the lock, as careful code without a guard would. It reads, checks that its lease
 * is held, and writes. Between the last two it can be stopped.
 *
 * <p>It prints each step on standard output, and writes when it reads a line from standard input. Its lease is not renewed: a process
 * that is stopped while it writes to the file of the locks keeps all others from writing.
 */
final class DemoWorker {

    /** How often a worker starts again because the machine was so busy that its lease ended before it could be stopped. */
    private static final int ATTEMPTS = 10;

    private final Locks locks;
    private final Account account;
    private final LockOptions options;

    private DemoWorker(Locks locks, Account account, LockOptions options) {
        this.locks = locks;
        this.account = account;
        this.options = options;
    }

    /** Arguments: backend URI, data file, guarded, name, amount, ttl in milliseconds. */
    public static void main(String[] arguments) throws Exception {
        Duration ttl = Duration.ofMillis(Long.parseLong(arguments[5]));
        LockOptions options = LockOptions.defaults()
                .withTtl(ttl)
                .withMaxWait(ttl.multipliedBy(20))
                .withHolder(Holder.of("worker " + arguments[3]))
                .withoutRenewal();
        try (Locks locks = Locks.open(arguments[0]);
                Account account = Account.open(arguments[1], Boolean.parseBoolean(arguments[2]))) {
            DemoWorker worker = new DemoWorker(locks, account, options);
            long amount = Long.parseLong(arguments[4]);
            int attempt = 1;
            while (!worker.deposit(amount)) {
                if (attempt++ == ATTEMPTS) {
                    throw new IllegalStateException("the lease of " + ttl.toMillis() + " ms ended " + ATTEMPTS
                            + " times before the balance was read; give a longer --ttl");
                }
            }
        }
    }

    /** Returns false, with nothing printed, if the lease ended before the balance was read. */
    private boolean deposit(long amount) throws Exception {
        try (Lease lease = locks.acquire(Scenario.KEY, options)) {
            long balance = account.balance();
            if (!lease.isHeld()) {
                return false;
            }
            print("granted", lease.token());
            print("read", balance);
            print("checked");
            awaitGo();
            long deposited = balance + amount;
            try {
                account.write(deposited, lease.stamp());
                print("written", deposited, lease.token());
            } catch (StaleTokenException e) {
                print("refused", lease.token(), e.highest());
            }
            return true;
        }
    }

    private static void awaitGo() throws IOException {
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
    }

    private static void print(Object... words) {
        StringBuilder line = new StringBuilder();
        for (Object word : words) {
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        System.out.println(line);
        System.out.flush();
    }
}
