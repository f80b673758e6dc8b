package io.fenceline.http;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.MalformedStampException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.Optional;

/** Reads the stamp of a request. */
final class StampedRequest {

    private StampedRequest() {}

    /** Returns the request's stamp. If it is missing or malformed, sends the error and returns empty. */
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
            ProblemResponse.send(response, FenceProblem.of(FenceProblem.missing(resource)));
        }
        return stamp;
    }
}
