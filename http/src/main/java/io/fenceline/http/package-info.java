/**
 * Guards over HTTP.
 *
 * <p>A request carries its stamp in {@link io.fenceline.guard.FenceHeaders}. On the server, {@link
 * io.fenceline.http.FenceFilter} requires it and refuses stale requests. On the client, {@link io.fenceline.http.FencedRequests} sets
 * it and rethrows a refusal as the exception of the guard.
 */
@NullMarked
package io.fenceline.http;

import org.jspecify.annotations.NullMarked;
