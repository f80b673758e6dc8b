package io.fenceline.examples.payment;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A payment gateway as there are many: it knows idempotency keys and nothing of fencing tokens. A request with a key that it has
 * seen gets the first answer again and charges nobody.
 */
public final class FakeGateway implements AutoCloseable {

    private static final String DECLINED = "declined";

    private final List<String> charges = new CopyOnWriteArrayList<>();
    private final Map<String, Integer> answers = new ConcurrentHashMap<>();
    private final HttpServer server;

    /** Starts a gateway on a free port of this machine. */
    public FakeGateway() throws IOException {
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/charges", this::charge);
        server.start();
    }

    private void charge(HttpExchange exchange) throws IOException {
        try (exchange) {
            String order = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String key = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Idempotency-Key"))
                    .orElse("request " + exchange.hashCode());
            int status = answers.computeIfAbsent(key, unseen -> answer(order));
            exchange.sendResponseHeaders(status, -1);
        }
    }

    private int answer(String order) {
        if (order.contains(DECLINED)) {
            return 402;
        }
        charges.add(order);
        return 201;
    }

    /** Where charges are posted to. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/charges");
    }

    /** What the customers paid: an entry for each charge. */
    public List<String> charges() {
        return List.copyOf(charges);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
