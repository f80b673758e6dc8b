package io.fenceline.spring.boot.orders;

import static org.awaitility.Awaitility.await;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** A program that is processed ahead of time: it uses a lock, a guarded transaction and an election, says so, and ends. */
@Configuration(proxyBeanMethods = false)
@AutoConfigured
@Import(Orders.class)
public class AotNode {

    /** Runs once. */
    public static void main(String[] arguments) {
        try (ConfigurableApplicationContext application = SpringApplication.run(AotNode.class, arguments)) {
            Orders orders = application.getBean(Orders.class);
            await().until(() -> orders.term().isPresent());
            System.out.println(
                    "paid with " + orders.pay(1) + ", led in " + orders.term().orElseThrow());
        }
    }
}
