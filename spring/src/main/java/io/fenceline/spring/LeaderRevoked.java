package io.fenceline.spring;

import io.fenceline.RevocationReason;
import io.fenceline.election.Leadership;

/**
 * Application event: a leadership of this process has ended. Published on the election's thread, once for each {@link LeaderElected}.
 *
 * @param leadership the term
 * @param reason the cause
 */
public record LeaderRevoked(Leadership leadership, RevocationReason reason) {}
