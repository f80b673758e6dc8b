package io.fenceline.examples.orders;

import io.fenceline.spring.CurrentLease;
import io.fenceline.spring.LeaderOnly;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** Counts the paid orders every five seconds, on the leader only. Start a second node to see that it waits. */
@Component
class Report {

    private final OrderRepository orders;
    private volatile String latest = "this node does not lead, or has not led for five seconds yet";

    Report(OrderRepository orders) {
        this.orders = orders;
    }

    @Scheduled(fixedRate = 5_000)
    @LeaderOnly("reports")
    @Transactional
    public void make() {
        long paid = orders.findAll().stream()
                .filter(order -> order.getState().equals("paid"))
                .count();
        latest = paid + " of " + orders.count() + " orders are paid ("
                + LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS) + ", term "
                + CurrentLease.stamp().token() + ")";
    }

    String latest() {
        return latest;
    }
}
