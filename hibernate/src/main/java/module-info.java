/** Fenceline in Hibernate ORM. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Hibernate has no module descriptor.
module io.fenceline.hibernate {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires io.fenceline.jdbc;
    requires java.logging;
    requires java.naming; // Hibernate's session factory has a type of it
    requires transitive jakarta.persistence;
    requires transitive org.hibernate.orm.core;

    exports io.fenceline.hibernate;

    provides org.hibernate.integrator.spi.Integrator with
            io.fenceline.hibernate.FenceIntegrator;
    provides org.hibernate.service.spi.ServiceContributor with
            io.fenceline.hibernate.FenceServices;
    provides org.hibernate.engine.jdbc.mutation.spi.MutationExecutorService with
            io.fenceline.hibernate.FencedExecutors;
}
