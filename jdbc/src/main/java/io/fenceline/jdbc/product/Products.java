package io.fenceline.jdbc.product;

import io.fenceline.jdbc.sql.SqlFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The database products that are on the class path or module path. Their drivers need not be. */
public final class Products {

    private static final List<Product> ALL = ServiceLoader.load(Product.class, Products.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .toList();

    private Products() {}

    /** Returns those that can keep locks in a table. */
    public static List<LockDialect> withLocks() {
        return ALL.stream().flatMap(product -> product.locks().stream()).toList();
    }

    /**
     * Returns the product of a connection, by what its driver says. Asks no server.
     *
     * @throws IllegalArgumentException if the product is not known
     */
    public static Product of(Connection connection) throws SQLException {
        String name = connection.getMetaData().getDatabaseProductName();
        return find(
                name,
                "fences",
                product -> true,
                "; if it is one of them under another name, say so with GuardOptions.withProduct");
    }

    /** Returns a product by its name, or that of a connection if no name is given. */
    public static Product of(Connection connection, Optional<String> name) throws SQLException {
        return name.isPresent() ? named(name.get()) : of(connection);
    }

    /**
     * Returns a product by the name that its driver tells.
     *
     * @throws IllegalArgumentException if it is not known
     */
    public static Product named(String name) {
        return find(name, "fences", product -> true, "");
    }

    /**
     * Returns what a product has of its own for locks.
     *
     * @throws IllegalArgumentException if the product is not known or cannot keep locks in a table
     */
    public static LockDialect locksOn(String name) {
        return find(name, "locks", product -> product.locks().isPresent(), "")
                .locks()
                .orElseThrow();
    }

    /**
     * Returns a product's statements for an outbox.
     *
     * @throws IllegalArgumentException if it has none
     */
    public static SqlFile outboxOn(Product product) {
        return find(product.name(), "outbox", one -> one.outbox().isPresent(), "")
                .outbox()
                .orElseThrow();
    }

    /** Returns the names of some products, for messages. */
    public static String names(Collection<Product> products) {
        return products.stream().map(Product::name).sorted().collect(Collectors.joining(", "));
    }

    /** Finds a product among those that have something. */
    static Product find(String name, String what, Predicate<Product> hasIt, String remedy) {
        if (ALL.isEmpty()) {
            throw new IllegalStateException("no database product is known: the jar lacks META-INF/services/"
                    + Product.class.getName() + "; merge such files where jars are merged");
        }
        List<Product> known = ALL.stream().filter(hasIt).toList();
        return known.stream()
                .filter(product -> product.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no " + what + " on '" + name + "'; known are " + names(known) + remedy));
    }
}
