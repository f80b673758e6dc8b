/** Meters, spans and log fields of locks, guards and elections. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer has no module descriptors.
module io.fenceline.micrometer {
    requires static org.jspecify;
    // For log fields only; who logs through it has it.
    requires static org.slf4j;
    requires transitive io.fenceline.core;
    // For UnfencedWriteMetrics only.
    requires static transitive io.fenceline.jdbc;
    requires transitive micrometer.core;
    requires transitive micrometer.observation;
    requires micrometer.commons;

    exports io.fenceline.micrometer;
}
