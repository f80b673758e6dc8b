/**
 * Guards over HTTP.
 *
 * <p>A request carries its stamp in {@link io.fenceline.guard.FenceHeaders}. On the server {@link
 * io.fenceline.http.FenceFilter} requires it and refuses what is stale; on the client {@link
 * io.fenceline.http.FencedRequests} sets it and turns a refusal back into the exception that a guard would have thrown.
 */
@NullMarked
package io.fenceline.http;

import org.jspecify.annotations.NullMarked;
