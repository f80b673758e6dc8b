package io.fenceline.spring;

import io.fenceline.election.Leadership;

/**
 * Application event: this process was elected. Published on the election's thread; a listener that throws ends the leadership. {@link
 * LeaderRevoked} follows in every case.
 *
 * @param leadership the term
 */
public record LeaderElected(Leadership leadership) {}
