package io.fenceline.examples.http;

import io.fenceline.FenceStamp;
import io.fenceline.http.FencedRequests;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/** A holder that claims an order before it reads it, and writes it under the same stamp. */
public final class OrderClient {

    private OrderClient() {}

    /**
     * Marks an order as shipped if it is paid.
     *
     * @param order where the order is
     * @param stamp of the lease under which this is done
     * @throws io.fenceline.guard.StaleTokenException if a later holder was first
     */
    public static void ship(HttpClient client, URI order, FenceStamp stamp) throws IOException, InterruptedException {
        FencedRequests.send(client, FencedRequests.claim(order, stamp).build(), BodyHandlers.discarding());
        String status = client.send(HttpRequest.newBuilder(order).build(), BodyHandlers.ofString())
                .body();
        if (status.equals("paid")) {
            HttpRequest write = FencedRequests.stamp(HttpRequest.newBuilder(order), stamp)
                    .PUT(BodyPublishers.ofString("shipped"))
                    .build();
            FencedRequests.send(client, write, BodyHandlers.discarding());
        }
    }
}
