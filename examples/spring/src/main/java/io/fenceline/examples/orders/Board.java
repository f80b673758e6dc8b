package io.fenceline.examples.orders;

import io.fenceline.election.Leadership;
import io.fenceline.spring.ElectionLifecycle;
import java.util.List;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.data.domain.Sort;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The REST interface of the page. */
@RestController
@RequestMapping("/api")
class Board implements ApplicationRunner {

    private final OrderRepository orders;
    private final OrderService service;
    private final Report report;
    private final ElectionLifecycle election;
    private final StaleHolder staleHolder;

    Board(
            OrderRepository orders,
            OrderService service,
            Report report,
            ElectionLifecycle election,
            StaleHolder staleHolder) {
        this.orders = orders;
        this.service = service;
        this.report = report;
        this.election = election;
        this.staleHolder = staleHolder;
    }

    record State(List<Order> orders, boolean leads, String report) {}

    @Override
    public void run(ApplicationArguments arguments) {
        for (long id = 1; id <= 3; id++) {
            if (!orders.existsById(id)) {
                service.reopen(id);
            }
        }
    }

    @GetMapping("/board")
    State board() {
        return new State(
                orders.findAll(Sort.by("id")),
                election.leadership().filter(Leadership::isLeading).isPresent(),
                report.latest());
    }

    @PostMapping("/orders/{id}/pay")
    void pay(@PathVariable long id) {
        service.pay(id, "this page");
    }

    @PostMapping("/orders/{id}/reopen")
    void reopen(@PathVariable long id) {
        service.reopen(id);
    }

    @PostMapping("/orders/{id}/stale")
    List<String> stale(@PathVariable long id) throws InterruptedException {
        return staleHolder.play(id);
    }
}
