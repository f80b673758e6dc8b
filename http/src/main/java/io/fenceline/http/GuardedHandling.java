package io.fenceline.http;

import io.fenceline.guard.GuardedStep;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Runs a handler as the effect of a guarded step, once only: a request body cannot be read twice. */
final class GuardedHandling {

    /** Thrown after an error response by the handler: the response stands, and the guard must not count a write. */
    private static final class ErrorResponse extends Exception {

        ErrorResponse() {
            super(null, null, false, false);
        }
    }

    private final FilterChain chain;
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private boolean begun;

    GuardedHandling(FilterChain chain, HttpServletRequest request, HttpServletResponse response) {
        this.chain = chain;
        this.request = request;
        this.response = response;
    }

    <C> void run(GuardedStep<C> step, GuardedExchange exchange) throws IOException, ServletException {
        try {
            step.write(exchange.resource(), exchange.stamp(), with -> handle());
        } catch (ErrorResponse e) {
            // the handler has responded
        } catch (IOException | ServletException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }

    private void handle() throws IOException, ServletException, ErrorResponse {
        if (begun) {
            throw new IllegalStateException("a guard must not repeat a handler: its request can be read only once; "
                    + "let the handler guard itself, with FenceFilter.forGuardedHandlers");
        }
        begun = true;
        chain.doFilter(request, response);
        if (response.getStatus() >= 400) {
            throw new ErrorResponse();
        }
    }
}
