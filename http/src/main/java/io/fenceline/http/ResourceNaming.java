package io.fenceline.http;

import io.fenceline.ResourceName;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Names the resource that a request writes to.
 *
 * <p>Whatever reaches the same data has to get the same name, or its fence is passed by. The path that is given here has
 * been decoded by the container, and {@code /orders/42}, {@code /orders//42} and {@code /orders/42/} are the same path in
 * it; letter case is kept. A handler that is reached by several paths, or that does not tell upper case from lower case,
 * needs a naming of its own.
 */
@FunctionalInterface
public interface ResourceNaming {

    /** A resource is named like its path within the application, without the query. */
    ResourceNaming BY_PATH = (request, path) -> path;

    /**
     * Names the resource of a request.
     *
     * @param request the request. Do not read its body, nor parameters that may be in it
     * @param path the path within the application. For a request about a fence it is the path of what is fenced
     * @return a name that keeps the rules of {@link ResourceName}
     * @throws IllegalArgumentException if the request names no resource; the client is told so with status 400
     */
    String name(HttpServletRequest request, String path);
}
