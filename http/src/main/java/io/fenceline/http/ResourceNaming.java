package io.fenceline.http;

import io.fenceline.ResourceName;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Names the resource that a request writes to.
 *
 * <p>All requests that write the same data must get the same name, or they bypass its fence. The path is decoded by the container
 * and normalized: {@code /orders/42}, {@code /orders//42} and {@code /orders/42/} are equal; case is kept. A handler with several
 * paths, with case-insensitive ones, or whose rows other guards know by another name, needs its own naming.
 */
@FunctionalInterface
public interface ResourceNaming {

    /**
     * Names a resource by its path within the application, without the query and the slash at its start: {@code /orders/42} is
     * {@code orders/42}, as guards name the row 42 of a table {@code orders}. The root is {@code /}.
     */
    ResourceNaming BY_PATH = (request, path) -> path.length() == 1 ? path : path.substring(1);

    /**
     * Names the resource of a request.
     *
     * @param request the request. Do not read its body, nor parameters that may be in it
     * @param path the path within the application. For a request to a fence it is the path of the fenced resource
     * @return a valid {@link ResourceName}
     * @throws IllegalArgumentException if the request names no resource; the response is then 400
     */
    String name(HttpServletRequest request, String path);
}
