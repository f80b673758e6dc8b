package io.fenceline.http;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.RefusedWriteException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/** HTTP endpoint of a resource's fence: reads it and claims it. */
final class FenceEndpoint {

    private static final String METHODS = "GET, HEAD, OPTIONS, PUT";

    private final FenceGuard guard;

    FenceEndpoint(FenceGuard guard) {
        this.guard = guard;
    }

    void answer(HttpServletRequest request, String resource, HttpServletResponse response) throws IOException {
        response.setHeader("Cache-Control", "no-store");
        switch (request.getMethod()) {
            case "PUT" -> claim(request, resource, response);
            case "GET", "HEAD" -> look(resource, response);
            case "OPTIONS" -> {
                response.setHeader("Allow", METHODS);
                response.setStatus(HttpServletResponse.SC_NO_CONTENT);
            }
            default -> {
                response.setHeader("Allow", METHODS);
                response.setStatus(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
            }
        }
    }

    private void claim(HttpServletRequest request, String resource, HttpServletResponse response) throws IOException {
        Optional<FenceStamp> stamp = StampedRequest.stamp(request, resource, response);
        if (stamp.isEmpty()) {
            return;
        }
        try {
            guard.claim(resource, stamp.get());
        } catch (RefusedWriteException e) {
            ProblemResponse.send(response, FenceProblem.ofClaim(e));
            return;
        }
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }

    private void look(String resource, HttpServletResponse response) {
        guard.highest(resource).ifPresent(highest -> FenceHeaders.inject(highest, response::setHeader));
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }
}
