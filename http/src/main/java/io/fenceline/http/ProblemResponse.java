package io.fenceline.http;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Answers a request with a {@link FenceProblem}, for handlers and frameworks that do not let a guard's exception through to
 * {@link FenceFilter}: asynchronous ones, and exception mappers.
 */
public final class ProblemResponse {

    private ProblemResponse() {}

    /**
     * Answers with a problem in the place of whatever was prepared and not yet sent. The container sends it when the request
     * completes: an asynchronous handler calls {@code complete()} as after any other answer.
     *
     * @param response the response
     * @param problem what to answer
     * @throws IllegalStateException if the response is committed already; nothing is sent
     * @throws IOException if the client cannot be reached
     */
    public static void send(HttpServletResponse response, FenceProblem problem) throws IOException {
        response.resetBuffer();
        response.setStatus(problem.status());
        response.setContentType(FenceProblem.MEDIA_TYPE);
        response.setHeader("Cache-Control", "no-store");
        // Neither flushed nor given a length, which would commit it: the container can then add "Connection: close"
        // if the request's body has not arrived, and the client does not reuse a connection that is about to end.
        try {
            response.getOutputStream().write(problem.json().getBytes(StandardCharsets.US_ASCII));
        } catch (IllegalStateException theHandlerTookTheWriter) {
            response.getWriter().write(problem.json());
        }
    }
}
