package io.fenceline.benchmarks.worker;

import java.io.Serializable;

/**
 * The result of a task.
 *
 * @param result what it returned
 * @param failure what it threw, as text; empty if it returned
 */
record TaskReply(Object result, String failure) implements Serializable {}
