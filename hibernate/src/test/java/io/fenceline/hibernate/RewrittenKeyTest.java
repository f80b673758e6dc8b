package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.math.BigDecimal;
import java.util.function.Consumer;
import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Identifiers that the database makes equal by rounding, cutting or filling up, or by converting them. */
@Tag("R10")
class RewrittenKeyTest {

    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("lock"), FencingToken.of(5));
    private static final String UUID = "0000000a-0000-0000-0000-00000000000b";

    @ParameterizedTest
    @EnumSource(Store.class)
    void numbersThatTheColumnRoundsAreRefused(Store store) {
        assertRefused(store, new ByNumber(new BigDecimal("42.001")), "it would round the key 42.001");
        assertRefused(store, new ByFloat(16_777_217), "keys of rows must be numbers");
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "H2"})
    void bytesThatTheColumnFillsUpAreRefused(Store store) {
        assertRefused(store, new ByBytes(new byte[] {1, 2}), "it would pad a key of 2 bytes to 4");
    }

    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "POSTGRESQL"})
    void spacesThatTheColumnCutsAreRefused(Store store) {
        assertRefused(store, new ByText("abcde "), "would be cut");
    }

    @ParameterizedTest
    @EnumSource(Store.class)
    void valuesThatTheColumnConvertsAreRefused(Store store) {
        assertRefused(store, new ByUuid(UUID), "it converts the values of type java.lang.String");
        assertRefused(store, new ByDigits("42"), "it converts the values of type java.lang.String");
        assertRefused(store, new ByWord(42), "it converts the values of type java.lang.Long");
    }

    private static void assertRefused(Store store, Object row, String words) {
        try (SessionFactory sessions = StoredColumnTest.factory(store.newGuardedUrl(), row.getClass())) {
            assertThatThrownBy(() -> write(sessions, session -> session.insert(row)))
                    .hasStackTraceContaining(words);
        }
    }

    private static void write(SessionFactory sessions, Consumer<StatelessSession> work) {
        sessions.inStatelessTransaction(session -> {
            Fencing.in(session).by(STAMP);
            work.accept(session);
        });
    }

    @Entity(name = "ByNumber")
    @Fenced(resource = "rewritten/{id}")
    static class ByNumber {
        @Id
        BigDecimal id;

        long changes = 1;

        ByNumber() {}

        ByNumber(BigDecimal id) {
            this.id = id;
        }
    }

    @Entity(name = "ByFloat")
    @Fenced(resource = "rewritten/{id}")
    static class ByFloat {
        @Id
        @Column(columnDefinition = "real")
        long id;

        long changes = 1;

        ByFloat() {}

        ByFloat(long id) {
            this.id = id;
        }
    }

    @Entity(name = "ByBytes")
    @Fenced(resource = "rewritten/{id}")
    static class ByBytes {
        @Id
        @JdbcTypeCode(SqlTypes.BINARY)
        @Column(columnDefinition = "binary(4)")
        byte[] id;

        long changes = 1;

        ByBytes() {}

        ByBytes(byte[] id) {
            this.id = id;
        }
    }

    @Entity(name = "ByText")
    @Fenced(resource = "rewritten/{id}")
    static class ByText {
        @Id
        @Column(length = 5)
        String id;

        long changes = 1;

        ByText() {}

        ByText(String id) {
            this.id = id;
        }
    }

    @Entity(name = "ByUuid")
    @Fenced(resource = "rewritten/{id}")
    static class ByUuid {
        @Id
        @Column(columnDefinition = "uuid")
        String id;

        long changes = 1;

        ByUuid() {}

        ByUuid(String id) {
            this.id = id;
        }
    }

    @Entity(name = "ByWord")
    @Fenced(resource = "rewritten/{id}")
    static class ByWord {
        @Id
        @Column(columnDefinition = "varchar(20)")
        long id;

        long changes = 1;

        ByWord() {}

        ByWord(long id) {
            this.id = id;
        }
    }

    @Entity(name = "ByDigits")
    @Fenced(resource = "rewritten/{id}")
    static class ByDigits {
        @Id
        @Column(columnDefinition = "bigint")
        String id;

        long changes = 1;

        ByDigits() {}

        ByDigits(String id) {
            this.id = id;
        }
    }
}
