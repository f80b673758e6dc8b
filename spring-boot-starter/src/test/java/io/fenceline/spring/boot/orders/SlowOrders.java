package io.fenceline.spring.boot.orders;

import io.fenceline.FencingToken;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.http.GuardedExchange;
import jakarta.servlet.http.HttpServletRequest;
import java.util.concurrent.Callable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

/** A handler whose work another thread does. */
@RestController
class SlowOrders {

    @PutMapping("/fenced/slow")
    Callable<String> write(HttpServletRequest request) {
        GuardedExchange exchange = GuardedExchange.of(request);
        return () -> {
            throw new StaleTokenException(exchange.resource(), exchange.stamp(), FencingToken.of(99));
        };
    }
}
