package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.SecondaryTable;
import jakarta.persistence.Table;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A row is named by a column whose name is in two tables of its entity. */
@Tag("R10")
class SecondaryTableTest {

    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("lock"), FencingToken.of(5));

    @Test
    void onlyTheColumnOfTheNamingTableCounts() {
        String url = Store.H2.newGuardedUrl();
        try (SessionFactory sessions = StoredColumnTest.factory(url, Branch.class)) {
            sessions.inTransaction(session -> {
                Fencing.in(session).by(STAMP);
                session.persist(new Branch());
            });
        }

        JdbcFenceGuard guard = JdbcFenceGuard.on(Store.H2.source(url));
        assertThat(guard.highest("branch/Bruges")).contains(STAMP);
        assertThat(guard.highest("branch/Ghent")).isEmpty();
    }

    @Entity(name = "Branch")
    @Table(name = "branch")
    @SecondaryTable(name = "branch_address")
    @Fenced(resource = "branch/{head}")
    static class Branch {
        @Id
        long id = 1;

        @Column(name = "town", updatable = false)
        String head = "Bruges";

        @Column(name = "town", table = "branch_address")
        String town = "Ghent";
    }
}
