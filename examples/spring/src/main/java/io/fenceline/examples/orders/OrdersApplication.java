package io.fenceline.examples.orders;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The application. Its page is at http://localhost:8080. */
@SpringBootApplication
@EnableScheduling
public class OrdersApplication {

    /**
     * Starts it.
     *
     * @param arguments properties, such as {@code --server.port=8081}
     */
    public static void main(String[] arguments) {
        SpringApplication.run(OrdersApplication.class, arguments);
    }
}
