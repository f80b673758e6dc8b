package io.fenceline.spring.boot.orders;

import io.fenceline.spring.LeaderElected;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

/** An application with the starter, as a user writes it. */
@SpringBootApplication
public class OrdersApplication {

    final List<Object> elected = Collections.synchronizedList(new ArrayList<>());

    @EventListener
    void on(LeaderElected event) {
        elected.add(event);
    }

    /** Starts it with properties. */
    public static ConfigurableApplicationContext start(WebApplicationType web, String... properties) {
        return new SpringApplicationBuilder(OrdersApplication.class)
                .web(web)
                .properties("server.port=0", "spring.jmx.enabled=false", "spring.main.banner-mode=off")
                .run(properties);
    }
}
