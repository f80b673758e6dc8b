package io.fenceline.spring.boot3;

import io.fenceline.StoreHealth;
import java.time.Duration;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** Reports on Spring Boot 3.5 whether the locks' store answers. */
final class Boot3HealthIndicator extends AbstractHealthIndicator {

    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final StoreHealth store;

    Boot3HealthIndicator(StoreHealth store) {
        super("the locks' store could not be asked");
        this.store = store;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) throws InterruptedException {
        StoreHealth.Result result = store.check(LIMIT);
        health.status(result.isUp() ? "UP" : "DOWN");
        result.roundTrip().ifPresent(time -> health.withDetail("roundTripMillis", time.toNanos() / 1e6));
        result.problem().ifPresent(problem -> health.withDetail("problem", problem));
    }
}
