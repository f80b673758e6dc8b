package io.fenceline.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;

/** Paths within an application, in one form for all that lead to the same place. */
final class RequestPath {

    private RequestPath() {}

    /** The container has decoded it and has dropped what follows a semicolon. */
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

    /** Returns the path of what is fenced, if this is the path of its fence. */
    static Optional<String> ofFenced(String path, String fence) {
        return path.endsWith(fence)
                ? Optional.of(normalised(path.substring(0, path.length() - fence.length())))
                : Optional.empty();
    }
}
