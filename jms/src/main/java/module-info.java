/** Fencing tokens in JMS messages, and listeners whose transactions a stale message cannot commit. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Spring has no module descriptors.
module io.fenceline.jms {
    requires static org.jspecify;
    // The broker's client brings it.
    requires static transitive jakarta.messaging;
    requires transitive io.fenceline.core;
    // For FencedListenerContainer only.
    requires static transitive io.fenceline.jdbc;
    requires static io.fenceline.spring;
    requires static transitive spring.jms;

    exports io.fenceline.jms;
}
