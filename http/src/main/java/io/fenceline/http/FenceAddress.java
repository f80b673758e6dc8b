package io.fenceline.http;

import java.net.URI;

/** The address of a resource's fence: below the resource, with the same query. */
final class FenceAddress {

    private static final String FENCE = FencedEndpoints.defaults().fence();

    private FenceAddress() {}

    static URI of(URI resource) {
        if (resource.getRawPath() == null || resource.getRawAuthority() == null) {
            throw new IllegalArgumentException("'" + resource + "' is no address like 'https://host/orders/42'");
        }
        String path = resource.getRawPath();
        String folder = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
        String query = resource.getRawQuery() == null ? "" : "?" + resource.getRawQuery();
        return URI.create(resource.getScheme() + "://" + resource.getRawAuthority() + folder + FENCE + query);
    }
}
