/**
 * Leader election: at most one candidate of a group leads, under a term that only grows.
 *
 * <p>A term is the fencing token of the grant that won. It is minted in the same atomic step as the grant, so no candidate can
 * stall between winning and getting its term. Leader-only code gets its stamp from a {@link io.fenceline.election.TokenSource}, and
 * guards at the resources refuse the stamps of earlier terms.
 */
@NullMarked
package io.fenceline.election;

import org.jspecify.annotations.NullMarked;
