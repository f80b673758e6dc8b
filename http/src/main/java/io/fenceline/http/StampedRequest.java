package io.fenceline.http;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.MalformedStampException;
import io.fenceline.guard.MissingTokenException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.Optional;

/** Reads the stamp of a request. */
final class StampedRequest {

    private StampedRequest() {}

    /**
     * Returns the request's stamp. If it is malformed, sends the error and returns empty.
     *
     * @throws MissingTokenException if there is none
     */
    static Optional<FenceStamp> stamp(HttpServletRequest request, String resource, HttpServletResponse response)
            throws IOException {
        Optional<FenceStamp> stamp;
        try {
            stamp = FenceHeaders.readAll(name -> Collections.list(request.getHeaders(name)));
        } catch (MalformedStampException e) {
            ProblemResponse.send(response, FenceProblem.of(e));
            return Optional.empty();
        }
        if (stamp.isEmpty()) {
            throw FenceProblem.missing(resource);
        }
        return stamp;
    }
}
