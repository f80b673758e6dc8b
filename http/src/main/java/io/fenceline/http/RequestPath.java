package io.fenceline.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/** Normalizes paths within an application. */
final class RequestPath {

    private RequestPath() {}

    /** Returns the path, which the container has decoded and stripped of path parameters. */
    static String of(HttpServletRequest request) {
        String info = request.getPathInfo();
        return normalised(info == null ? request.getServletPath() : request.getServletPath() + info);
    }

    static String normalised(String path) {
        String single = ("/" + path).replaceAll("/+", "/");
        return single.length() > 1 && single.endsWith("/") ? single.substring(0, single.length() - 1) : single;
    }

    static boolean isBelow(String path, String root) {
        return root.equals("/") || path.equals(root) || path.startsWith(root + "/");
    }

    /** Returns the path of the fenced resource, if this is the path of a fence. */
    static Optional<String> ofFenced(String path, String fence) {
        return path.endsWith(fence)
                ? Optional.of(normalised(path.substring(0, path.length() - fence.length())))
                : Optional.empty();
    }
}
