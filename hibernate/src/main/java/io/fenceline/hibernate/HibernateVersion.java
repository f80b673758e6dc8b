package io.fenceline.hibernate;

import org.hibernate.Version;

/** The check for a version of Hibernate ORM that this module works with. */
final class HibernateVersion {

    private static final Runtime.Version NEEDED = Runtime.Version.parse("7.4");

    private HibernateVersion() {}

    /**
     * Refuses an older Hibernate. Otherwise its missing methods would fail later, some at each shutdown only.
     *
     * @throws IllegalStateException if Hibernate is too old
     */
    static void ensureSupported() {
        String found = Version.getVersionString();
        // Versions in Java's form have no zero at the end.
        String numbers = found.replaceFirst("^(\\d+\\.\\d+).*", "$1").replaceFirst("\\.0$", "");
        if (numbers.matches("[\\d.]+") && Runtime.Version.parse(numbers).compareTo(NEEDED) < 0) {
            throw new IllegalStateException(
                    "fenceline-hibernate needs Hibernate ORM " + NEEDED + " or later, and this is "
                            + found + ": use Hibernate " + NEEDED
                            + " (Spring Boot 4.1 brings it), or remove fenceline-hibernate and"
                            + " guard the tables with JdbcFenceGuard or triggers");
        }
    }
}
