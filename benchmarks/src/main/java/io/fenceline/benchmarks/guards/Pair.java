package io.fenceline.benchmarks.guards;

import io.fenceline.benchmarks.store.Store;

/**
 * A write without a guard, and the same with one.
 *
 * @param store where
 * @param name of the guard
 * @param plainly what the plain write is
 * @param plain the write that believes everybody
 * @param guarded the write that refuses stale tokens
 */
record Pair(Store store, String name, String plainly, Write plain, Write guarded) {}
