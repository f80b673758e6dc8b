/** Fenceline's test kit: published contracts for backends, time moved by hand, faults on demand. */
@org.jspecify.annotations.NullMarked
module io.fenceline.testkit {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires transitive org.junit.jupiter.api;
    requires transitive org.junit.jupiter.params;
    requires org.assertj.core;

    exports io.fenceline.testkit;
    exports io.fenceline.testkit.net;
    exports io.fenceline.testkit.sim;

    opens io.fenceline.testkit to
            org.junit.platform.commons;
}
