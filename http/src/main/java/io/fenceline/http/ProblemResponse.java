package io.fenceline.http;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Sends a {@link FenceProblem} as the response, for code whose exceptions do not reach {@link FenceFilter}: asynchronous handlers
 * that complete the request themselves, and exception mappers.
 */
public final class ProblemResponse {

    private ProblemResponse() {}

    /**
     * Replaces the uncommitted response by a problem. The container sends it when the request completes: an asynchronous handler
     * calls {@code complete()} as after any other response.
     *
     * @param response the response
     * @param problem the problem
     * @throws IllegalStateException if the response is committed already; nothing is sent
     * @throws IOException if the client cannot be reached
     */
    public static void send(HttpServletResponse response, FenceProblem problem) throws IOException {
        response.resetBuffer();
        response.setStatus(problem.status());
        response.setContentType(FenceProblem.MEDIA_TYPE);
        response.setHeader("Cache-Control", "no-store");
        // Not flushed and without a length, which would commit it: so the container can add "Connection: close" if the
        // request's body has not arrived, and the client does not reuse a connection that is about to end.
        try {
            response.getOutputStream().write(problem.json().getBytes(StandardCharsets.US_ASCII));
        } catch (IllegalStateException theHandlerTookTheWriter) {
            response.getWriter().write(problem.json());
        }
    }
}
