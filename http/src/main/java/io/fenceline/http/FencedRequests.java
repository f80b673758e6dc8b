package io.fenceline.http;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.MalformedStampException;
import io.fenceline.guard.RefusedWriteException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.util.concurrent.CompletableFuture;

/**
 * Client side of {@link FenceFilter}: stamps requests, and rethrows refusals as the guard's exceptions.
 *
 * <pre>{@code
 * HttpRequest request = FencedRequests.stamp(HttpRequest.newBuilder(order), lease.stamp()).PUT(paid).build();
 * FencedRequests.send(client, request, BodyHandlers.ofString());
 * }</pre>
 *
 * <p>A request whose response was lost may have been executed. It can be sent again under the same stamp if the server's guard
 * allows a grant several writes and the request is idempotent.
 */
public final class FencedRequests {

    private FencedRequests() {}

    /**
     * Sets the stamp's headers, replacing those of an earlier stamp.
     *
     * @param request the request
     * @param stamp the writer's key and token
     * @return the same builder
     */
    public static HttpRequest.Builder stamp(HttpRequest.Builder request, FenceStamp stamp) {
        FenceHeaders.inject(stamp, request::setHeader);
        return request;
    }

    /**
     * Returns a request that claims a resource for a stamp. Repeating it is harmless.
     *
     * @param resource URI of the resource; its fence is at {@code /fence} below
     * @param stamp the holder's key and token
     * @return the request, to be sent with {@link #send}
     * @throws IllegalArgumentException if the address is not absolute or not HTTP
     */
    public static HttpRequest.Builder claim(URI resource, FenceStamp stamp) {
        return stamp(HttpRequest.newBuilder(FenceAddress.of(resource)), stamp).PUT(BodyPublishers.noBody());
    }

    /**
     * Returns a request for the greatest stamp of a resource. The response has it in its headers, for {@link
     * FenceHeaders#readAll(java.util.Map)}; they are missing if the resource was never fenced.
     *
     * @param resource URI of the resource
     * @return the request
     * @throws IllegalArgumentException if the address is not absolute or not HTTP
     */
    public static HttpRequest.Builder highest(URI resource) {
        return HttpRequest.newBuilder(FenceAddress.of(resource)).GET();
    }

    /**
     * Sends a request and waits for the response.
     *
     * @param <T> type of the response body
     * @param client the client
     * @param request the request
     * @param body handler of response bodies, except for refusals by a guard
     * @return the response
     * @throws RefusedWriteException if a guard refused; the server has changed nothing
     * @throws MalformedStampException if the server could not read the stamp; it has changed nothing
     * @throws IOException if there is no response. The request may have been executed
     * @throws InterruptedException if interrupted while waiting. The request may have been executed
     */
    public static <T> HttpResponse<T> send(HttpClient client, HttpRequest request, BodyHandler<T> body)
            throws IOException, InterruptedException {
        ProblemBody<T> handler = new ProblemBody<>(body);
        HttpResponse<T> response = client.send(request, handler);
        handler.orThrow();
        return response;
    }

    /**
     * Sends a request.
     *
     * @param <T> type of the response body
     * @param client the client
     * @param request the request
     * @param body handler of response bodies, except for refusals by a guard
     * @return the response, or the exceptions of {@link #send}
     */
    public static <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpClient client, HttpRequest request, BodyHandler<T> body) {
        ProblemBody<T> handler = new ProblemBody<>(body);
        return client.sendAsync(request, handler).thenApply(response -> {
            handler.orThrow();
            return response;
        });
    }
}
