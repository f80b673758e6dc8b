package io.fenceline.examples.payment;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Lease;
import io.fenceline.jdbc.outbox.DeliveryResult;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PaymentTest {

    @TempDir
    Path folder;

    private Shop shop;

    @BeforeEach
    void open() throws Exception {
        shop = new Shop(folder);
    }

    @AfterEach
    void close() {
        shop.close();
    }

    @Test
    void isChargedTwiceByAStoppedWorkerThatChargesByItself() throws Exception {
        String told = shop.payWithAStop("order", shop.direct());

        assertThat(told).contains("is refused: the resource has seen token 000000000000002");
        assertThat(shop.charges("order")).isEqualTo(2);
        assertThat(shop.orders().status("order")).isEqualTo("paid");
    }

    @Test
    @Tag("R1")
    void isChargedOnceThroughTheOutboxAlthoughTheWorkerIsStopped() throws Exception {
        String told = shop.payWithAStop("order", shop.throughOutbox());

        assertThat(told).contains("is refused: the resource has seen token 000000000000002");
        assertThat(shop.charges("order")).isEqualTo(1);
        assertThat(shop.orders().status("order")).isEqualTo("charging");
    }

    @Test
    void isChargedOnceIfTheFirstWorkerDiesAfterItsCommit() throws Exception {
        shop.orders().open("order");
        pay("order");
        pay("order");

        shop.relay();
        shop.relay();

        assertThat(shop.charges("order")).isEqualTo(1);
    }

    @Test
    void cancelsTheOrderIfTheGatewayDeclines() throws Exception {
        shop.orders().open("order that is declined");
        pay("order that is declined");

        shop.relay();

        assertThat(shop.charges("order that is declined")).isZero();
        assertThat(shop.orders().status("order that is declined")).isEqualTo("cancelled");
    }

    @Test
    void isDeliveredByANodeThatRelaysUntilItIsInterrupted() throws Exception {
        CountDownLatch delivered = new CountDownLatch(1);
        Thread node = new Thread(() -> {
            try {
                Relays.relay(
                        shop.locks(),
                        shop.outbox(),
                        attempt -> {
                            delivered.countDown();
                            return DeliveryResult.delivered();
                        },
                        (message, reason) -> {});
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        node.start();
        shop.orders().open("order");
        pay("order");

        assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
        node.interrupt();
        node.join(30_000);
        assertThat(node.isAlive()).isFalse();
        shop.locks().acquire("payments-relay").close();
    }

    @Test
    void isToldByTheDemonstration(@TempDir Path another) throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();

        PaymentDemo.run(another, new PrintStream(text, true, StandardCharsets.UTF_8));

        assertThat(text.toString(StandardCharsets.UTF_8))
                .contains("its customer paid 2 times")
                .contains("its customer paid 1 time");
    }

    private void pay(String order) throws Exception {
        try (Lease lease = shop.locks().acquire(order)) {
            shop.throughOutbox().pay(order, lease, () -> {});
        }
    }
}
