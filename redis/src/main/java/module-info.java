/** Fenceline on Redis. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("requires-automatic") // Lettuce has no module descriptor.
module io.fenceline.redis {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires lettuce.core;
}
