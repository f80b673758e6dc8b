package io.fenceline.http;

import io.fenceline.FenceStamp;
import io.fenceline.ResourceName;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.GuardedStep;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.guard.StaleTokenException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/**
 * Servlet filter that requires a stamp on requests and answers refusals with {@link FenceProblem}s.
 *
 * <p>There are two ways to use it, depending on where the data is.
 *
 * <p><b>The filter guards</b> ({@link #guarding(MemoryFenceGuard, FencedEndpoints)}): the handler runs inside the guard's
 * step, one writer at a time for each resource. Check and effect are atomic for the requests of this process only:
 * use it where a single process owns the data. A slow request blocks other writers of its resource, for as long as the container
 * allows.
 *
 * <p><b>The handler guards</b> ({@link #forGuardedHandlers}): the filter requires the stamp and attaches it as a {@link
 * GuardedExchange}; the handler writes with the guard of the store, in the transaction of its effect. Use it with a
 * database, and wherever several processes serve the same data. A handler that ignores the exchange is not guarded.
 *
 * <p>A {@link io.fenceline.guard.RefusedWriteException} of the request's stamp becomes a response, also if a framework has
 * wrapped it; of another stamp, or for want of one, it is the handler's own failure and is rethrown. Register the filter for {@link
 * DispatcherType#ASYNC} too if a framework rethrows there what an asynchronous handler has thrown. If the response is already
 * committed, the exception is rethrown and the container ends the connection: guard first, then respond. Errors of the store are
 * rethrown.
 *
 * <p>With {@link #withClaims} each resource's fence has a path below its own: {@code PUT /orders/42/fence} claims the
 * resource for the stamp of the request, {@code GET} answers with the headers of the greatest stamp, or without them if
 * the resource was never fenced. Both answer 204. A server without the filter answers 404, so a claim is
 * never mistaken for a write.
 *
 * <p>A stamp is no credential. Put authentication in front of this filter: a client that may claim can lock others out. Filters
 * that change the method of a request belong in front of it too. A forwarded request is not checked again. Thread-safe.
 */
public final class FenceFilter implements Filter {

    /** Runs handlers that use a guard themselves. */
    private static final GuardedStep<GuardedExchange> UNGUARDED =
            (resource, stamp, effect) -> effect.run(new GuardedExchange(resource, stamp));

    private final GuardedStep<?> step;
    private final boolean guards;
    private final FencedEndpoints endpoints;
    private final Optional<FenceEndpoint> fences;

    private FenceFilter(
            GuardedStep<?> step, boolean guards, FencedEndpoints endpoints, Optional<FenceEndpoint> fences) {
        this.step = step;
        this.guards = guards;
        this.endpoints = endpoints;
        this.fences = fences;
    }

    /**
     * Returns a filter that guards data owned by this process, and accepts claims.
     *
     * @param guard the guard; the filter and whatever else writes to the resources share it
     * @param endpoints which requests need a stamp
     * @return the filter
     */
    public static FenceFilter guarding(MemoryFenceGuard guard, FencedEndpoints endpoints) {
        return guarding(GuardedStep.in(guard), endpoints).withClaims(guard);
    }

    /**
     * Returns a filter that runs handlers inside the step of any guard.
     *
     * <p>The step runs a handler once at most and on the thread of the request. A handler that responds with a status of
     * 400 or more, or throws, has not written. The response may reach the client before the step ends: if the step can still fail
     * then, as a commit can, let the handler use the guard itself.
     *
     * @param step the guard's write
     * @param endpoints which requests need a stamp
     * @return the filter
     */
    public static FenceFilter guarding(GuardedStep<?> step, FencedEndpoints endpoints) {
        return new FenceFilter(step, true, endpoints, Optional.empty());
    }

    /**
     * Returns a filter for handlers that use a guard themselves: it requires stamps and answers refusals, but compares no tokens.
     *
     * @param endpoints which requests need a stamp
     * @return the filter
     */
    public static FenceFilter forGuardedHandlers(FencedEndpoints endpoints) {
        return new FenceFilter(UNGUARDED, false, endpoints, Optional.empty());
    }

    /**
     * Returns a filter that accepts claims.
     *
     * @param guard the guard that writes use
     * @return the filter
     */
    public FenceFilter withClaims(FenceGuard guard) {
        return new FenceFilter(step, guards, endpoints, Optional.of(new FenceEndpoint(guard)));
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest http
                && response instanceof HttpServletResponse answer
                && (GuardedExchange.find(request).isEmpty() || request.getDispatcherType() == DispatcherType.ASYNC)) {
            answer(http, answer, chain);
        } else {
            chain.doFilter(request, response);
        }
    }

    private void answer(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        try {
            route(request, response, chain);
        } catch (ServletException | RuntimeException e) {
            Optional<FenceProblem> problem = FenceProblem.refusalBehind(e)
                    .filter(refusal -> isOfRequest(refusal, request))
                    .map(FenceProblem::of);
            if (problem.isEmpty() || response.isCommitted()) {
                throw e;
            }
            ProblemResponse.send(response, problem.get());
        }
    }

    /** A handler that works under a lease of its own may have lost that one, or have shown no stamp. */
    private static boolean isOfRequest(RefusedWriteException refusal, HttpServletRequest request) {
        Optional<FenceStamp> presented = presented(refusal);
        return presented.isPresent()
                && presented.equals(GuardedExchange.find(request).map(GuardedExchange::stamp));
    }

    private static Optional<FenceStamp> presented(RefusedWriteException refusal) {
        return refusal instanceof StaleTokenException stale
                ? Optional.of(stale.presented())
                : refusal instanceof ForeignTokenException foreign
                        ? Optional.of(foreign.presented())
                        : Optional.empty();
    }

    private void route(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (GuardedExchange.find(request).isPresent()) { // dispatched again by an asynchronous handler
            chain.doFilter(request, response);
            return;
        }
        String path = RequestPath.of(request);
        Optional<String> fenced = fences.flatMap(here -> RequestPath.ofFenced(path, endpoints.fence()))
                .filter(endpoints.paths());
        if (fenced.isEmpty() && !endpoints.needStamp(request, path)) {
            chain.doFilter(request, response);
            return;
        }
        String resource;
        try {
            resource = ResourceName.of(endpoints.naming().name(request, fenced.orElse(path)))
                    .value();
        } catch (IllegalArgumentException e) {
            ProblemResponse.send(response, FenceProblem.unnamed(e));
            return;
        }
        if (fenced.isPresent()) {
            fences.orElseThrow().answer(request, resource, response);
        } else {
            handle(request, resource, response, chain);
        }
    }

    private void handle(HttpServletRequest request, String resource, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        Optional<FenceStamp> stamp = StampedRequest.stamp(request, resource, response);
        if (stamp.isPresent()) {
            GuardedExchange exchange = new GuardedExchange(resource, stamp.get());
            exchange.attachTo(request);
            HttpServletRequest handled = guards ? new SynchronousRequest(request) : request;
            new GuardedHandling(chain, handled, response).run(step, exchange);
        }
    }
}
