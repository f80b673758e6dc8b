package io.fenceline.benchmarks.measure;

import io.fenceline.benchmarks.store.StoreServers;
import io.fenceline.benchmarks.worker.Crew;

/**
 * The equipment of a measurement.
 *
 * @param stores the servers
 * @param crew the JVMs in which contenders run
 * @param pace how long is measured
 */
public record Bench(StoreServers stores, Crew crew, Pace pace) {}
