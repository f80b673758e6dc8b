/** Spring Integration's lock registry on Fenceline's locks. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Spring has no module descriptors.
module io.fenceline.integration {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires transitive spring.integration.core;

    exports io.fenceline.integration;
}
