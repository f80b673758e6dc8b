/** Methods that run under a lock or as leader in Spring applications, and transactions that a stale holder cannot commit. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Spring has no module descriptors.
module io.fenceline.spring {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires java.logging;
    requires transitive spring.aop;
    requires transitive spring.beans;
    requires transitive spring.context;
    requires spring.core;
    requires spring.expression;
    requires transitive spring.tx;
    // For TransactionFences only.
    requires static transitive io.fenceline.jdbc;
    requires static spring.jdbc;
    // For @Fenced entities only.
    requires static io.fenceline.hibernate;
    requires static spring.orm;

    exports io.fenceline.spring;
}
