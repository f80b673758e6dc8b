/** An {@code ExecutionInterceptor} of db-scheduler on {@link io.fenceline.Locks}. */
@org.jspecify.annotations.NullMarked
package io.fenceline.dbscheduler;
