/** Executions of db-scheduler under a lease. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // db-scheduler has no module descriptor.
module io.fenceline.dbscheduler {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires transitive com.github.kagkarlsson.scheduler;

    exports io.fenceline.dbscheduler;
}
