package io.fenceline.http;

import io.fenceline.FenceStamp;
import jakarta.servlet.ServletRequest;
import java.util.Optional;

/**
 * The resource and the stamp of a fenced request: for handlers that use a guard themselves.
 *
 * <pre>{@code
 * GuardedExchange exchange = GuardedExchange.of(request);
 * guard.write(exchange.resource(), exchange.stamp(), connection -> …);
 * }</pre>
 *
 * @param resource the name of what is written
 * @param stamp the writer's key and token
 */
public record GuardedExchange(String resource, FenceStamp stamp) {

    private static final String ATTRIBUTE = GuardedExchange.class.getName();

    /**
     * Returns the exchange of a request that passed {@link FenceFilter}.
     *
     * @param request the request
     * @return the exchange
     * @throws IllegalStateException if the filter is not in front of this handler, or the request's method and path need no
     *     stamp
     */
    public static GuardedExchange of(ServletRequest request) {
        return find(request)
                .orElseThrow(() -> new IllegalStateException("this request was not fenced: put FenceFilter in front of "
                        + "the handler, and let its FencedEndpoints match the request's method and path"));
    }

    /**
     * Returns the exchange of a request, if it was fenced.
     *
     * @param request the request
     * @return the exchange, or empty if the request needed no stamp
     */
    public static Optional<GuardedExchange> find(ServletRequest request) {
        return Optional.ofNullable((GuardedExchange) request.getAttribute(ATTRIBUTE));
    }

    void attachTo(ServletRequest request) {
        request.setAttribute(ATTRIBUTE, this);
    }
}
