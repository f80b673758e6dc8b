package io.fenceline.http;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Defines which requests need a stamp, and the resources that they write.
 *
 * @param methods methods whose requests need a stamp
 * @param paths paths within the application that are fenced
 * @param naming names the resource of a request
 * @param fence path suffix of fences; begins with a slash
 */
public record FencedEndpoints(Predicate<String> methods, Predicate<String> paths, ResourceNaming naming, String fence) {

    private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private static final Pattern PATTERN = Pattern.compile("[*?{]");

    /**
     * Checks the path of fences.
     *
     * @throws IllegalArgumentException if it is not a slash and a name
     */
    public FencedEndpoints {
        if (!fence.matches("(/[^/]+)+")) {
            throw new IllegalArgumentException("path of fences '" + fence + "' is not like '/fence'");
        }
    }

    /**
     * Returns the usual endpoints: every method but GET, HEAD, OPTIONS and TRACE, on every path, which is the resource's name;
     * fences are at {@code /fence} below.
     *
     * @return the endpoints
     */
    public static FencedEndpoints defaults() {
        return new FencedEndpoints(method -> !SAFE.contains(method), path -> true, ResourceNaming.BY_PATH, "/fence");
    }

    /**
     * Returns endpoints where only these methods need a stamp.
     *
     * @param names the methods, in upper case as requests have them
     * @return the endpoints
     * @throws IllegalArgumentException if a name is not in upper case: no request would match it
     */
    public FencedEndpoints withMethods(String... names) {
        for (String name : names) {
            if (!name.equals(name.toUpperCase(Locale.ROOT))) {
                throw new IllegalArgumentException(
                        "method '" + name + "' is not in upper case, as those of requests are");
            }
        }
        return new FencedEndpoints(Set.of(names)::contains, paths, naming, fence);
    }

    /**
     * Returns endpoints where only these paths and those below them are fenced.
     *
     * @param roots paths within the application, as {@code /orders}; {@code /orders2} is not below it. No patterns
     * @return the endpoints
     * @throws IllegalArgumentException if a path is a pattern
     */
    public FencedEndpoints under(String... roots) {
        for (String root : roots) {
            if (PATTERN.matcher(root).find()) {
                throw new IllegalArgumentException(
                        "path '" + root + "' looks like a pattern; give the path above, such as '/orders',"
                                + " with which all below it is fenced");
            }
        }
        List<String> fenced =
                List.of(roots).stream().map(RequestPath::normalised).toList();
        return withPaths(path -> fenced.stream().anyMatch(root -> RequestPath.isBelow(path, root)));
    }

    /**
     * Returns endpoints where these paths are fenced.
     *
     * @param fenced accepts paths within the application
     * @return the endpoints
     */
    public FencedEndpoints withPaths(Predicate<String> fenced) {
        return new FencedEndpoints(methods, fenced, naming, fence);
    }

    /**
     * Returns endpoints with another naming of resources.
     *
     * @param names names the resource of a request
     * @return the endpoints
     */
    public FencedEndpoints withNaming(ResourceNaming names) {
        return new FencedEndpoints(methods, paths, names, fence);
    }

    /**
     * Returns endpoints with another suffix of fences, for applications with paths that end in {@code /fence}.
     *
     * @param suffix path suffix; begins with a slash
     * @return the endpoints
     */
    public FencedEndpoints withFenceAt(String suffix) {
        return new FencedEndpoints(methods, paths, naming, suffix);
    }

    boolean needStamp(HttpServletRequest request, String path) {
        return methods.test(request.getMethod()) && paths.test(path);
    }
}
