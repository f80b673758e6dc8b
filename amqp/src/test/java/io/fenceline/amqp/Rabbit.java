package io.fenceline.amqp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.servers.RabbitServer;
import java.util.Optional;

/** The RabbitMQ node of these tests; they are skipped where there is none. */
final class Rabbit {

    private static final Optional<RabbitServer> SERVER = RabbitServer.find();

    private Rabbit() {}

    static int port() {
        if (SERVER.isEmpty()) {
            System.err.println("SKIPPED: no RabbitMQ, so nothing of fenceline-amqp was shown on a broker. Looked for: "
                    + RabbitServer.places());
        }
        assumeTrue(SERVER.isPresent(), () -> "no RabbitMQ: " + RabbitServer.places());
        return SERVER.orElseThrow().port();
    }
}
