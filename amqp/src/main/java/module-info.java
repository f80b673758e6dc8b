/** Fencing tokens in AMQP messages, and listeners whose transactions a stale message cannot commit. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Spring has no module descriptors.
module io.fenceline.amqp {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    // With RabbitMQ's own client none of these is needed.
    requires static transitive io.fenceline.jdbc;
    requires static io.fenceline.spring;
    requires static transitive spring.amqp;
    requires static transitive spring.aop;
    requires static transitive spring.rabbit;

    exports io.fenceline.amqp;
}
