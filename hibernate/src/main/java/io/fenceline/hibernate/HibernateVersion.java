package io.fenceline.hibernate;

import org.hibernate.Version;

/** The check for a version of Hibernate ORM that this module works with. */
final class HibernateVersion {

    private static final int NEEDED = 7;

    private HibernateVersion() {}

    /**
     * Refuses an older Hibernate. Otherwise its missing methods would fail later, some at each shutdown only.
     *
     * @throws IllegalStateException if Hibernate is too old
     */
    static void ensureSupported() {
        String found = Version.getVersionString();
        String major = found.replaceFirst("\\D.*", "");
        if (!major.isEmpty() && Integer.parseInt(major) < NEEDED) {
            throw new IllegalStateException(
                    "fenceline-hibernate needs Hibernate ORM " + NEEDED + " or later, and this is "
                            + found + ": use Hibernate " + NEEDED
                            + " (Spring Boot 4 brings it), or remove fenceline-hibernate and"
                            + " guard the tables with JdbcFenceGuard or triggers");
        }
    }
}
