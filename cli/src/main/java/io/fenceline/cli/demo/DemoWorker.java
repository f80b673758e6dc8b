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
 * <p>It prints each step on standard output, and writes when it reads a line from standard input.
 */
final class DemoWorker {

    private DemoWorker() {}

    /** Arguments: backend URI, data file, guarded, name, amount, ttl in milliseconds. */
    public static void main(String[] arguments) throws Exception {
        Duration ttl = Duration.ofMillis(Long.parseLong(arguments[5]));
        LockOptions options = LockOptions.defaults()
                .withTtl(ttl)
                .withMaxWait(ttl.multipliedBy(20))
                .withHolder(Holder.of("worker " + arguments[3]));
        try (Locks locks = Locks.open(arguments[0]);
                Account account = Account.open(arguments[1], Boolean.parseBoolean(arguments[2]));
                Lease lease = locks.acquire(Scenario.KEY, options)) {
            print("granted", lease.token());
            long balance = account.balance();
            print("read", balance);
            lease.ensureHeld();
            print("checked");
            awaitGo();
            long deposited = balance + Long.parseLong(arguments[4]);
            try {
                account.write(deposited, lease.stamp());
                print("written", deposited, lease.token());
            } catch (StaleTokenException e) {
                print("refused", lease.token(), e.highest());
            }
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
