package io.fenceline.examples.payment;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Posts charges to the gateway. */
public final class GatewayClient {

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI gateway;

    /** Makes a client of a gateway. */
    public GatewayClient(URI gateway) {
        this.gateway = gateway;
    }

    /** Charges the customer of an order, and returns the gateway's status code. */
    public int charge(String order, String idempotencyKey) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(gateway)
                .header("Idempotency-Key", idempotencyKey)
                .timeout(Duration.ofSeconds(10))
                .POST(BodyPublishers.ofString(order))
                .build();
        return http.send(request, BodyHandlers.discarding()).statusCode();
    }
}
