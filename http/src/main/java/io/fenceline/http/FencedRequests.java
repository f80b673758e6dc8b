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
 * The client's side of {@link FenceFilter}: stamps requests, and turns a refusal into what the guard threw.
 *
 * <pre>{@code
 * HttpRequest request = FencedRequests.stamp(HttpRequest.newBuilder(order), lease.stamp()).PUT(paid).build();
 * FencedRequests.send(client, request, BodyHandlers.ofString());
 * }</pre>
 *
 * <p>A request whose answer was lost may have been done. It can be sent again under the same stamp, where the server's
 * guard lets a grant write more than once and the request itself does no harm twice.
 */
public final class FencedRequests {

    private FencedRequests() {}

    /**
     * Sets the stamp's headers, in the place of an earlier stamp's.
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
     * @param resource where the resource is; its fence is at {@code /fence} below
     * @param stamp the holder's key and token
     * @return the request, to be sent with {@link #send}
     * @throws IllegalArgumentException if the address is not absolute or not HTTP
     */
    public static HttpRequest.Builder claim(URI resource, FenceStamp stamp) {
        return stamp(HttpRequest.newBuilder(FenceAddress.of(resource)), stamp).PUT(BodyPublishers.noBody());
    }

    /**
     * Returns a request for the greatest stamp of a resource. The answer carries it in its headers, for {@link
     * FenceHeaders#readAll(java.util.Map)}; it carries none if the resource was never fenced.
     *
     * @param resource where the resource is
     * @return the request
     * @throws IllegalArgumentException if the address is not absolute or not HTTP
     */
    public static HttpRequest.Builder highest(URI resource) {
        return HttpRequest.newBuilder(FenceAddress.of(resource)).GET();
    }

    /**
     * Sends a request and waits for the answer.
     *
     * @param <T> what the body is read as
     * @param client the client
     * @param request the request
     * @param body reads the body of answers that are no refusals of a guard, whatever their status
     * @return the answer
     * @throws RefusedWriteException if a guard refused; the server has changed nothing
     * @throws MalformedStampException if the server could not read the stamp; it has changed nothing
     * @throws IOException if there is no answer. The request may have been done
     * @throws InterruptedException if interrupted while waiting. The request may have been done
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
     * @param <T> what the body is read as
     * @param client the client
     * @param request the request
     * @param body reads the body of answers that are no refusals of a guard, whatever their status
     * @return the answer, or what {@link #send} throws
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
