package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import io.fenceline.hibernate.KeyedEntities.ByBytes;
import io.fenceline.hibernate.KeyedEntities.ByClass;
import io.fenceline.hibernate.KeyedEntities.ByConverted;
import io.fenceline.hibernate.KeyedEntities.ByFolder;
import io.fenceline.hibernate.KeyedEntities.ByKind;
import io.fenceline.hibernate.KeyedEntities.ByNumber;
import io.fenceline.hibernate.KeyedEntities.ByOwner;
import io.fenceline.hibernate.KeyedEntities.ByParts;
import io.fenceline.hibernate.KeyedEntities.ByUuid;
import io.fenceline.hibernate.KeyedEntities.ByWord;
import io.fenceline.hibernate.KeyedEntities.Kind;
import io.fenceline.hibernate.KeyedEntities.Parts;
import io.fenceline.hibernate.KeyedEntities.Place;
import io.fenceline.hibernate.KeyedEntities.ZonedId;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.jdbc.trigger.GuardedTable;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A row's resource has one name, whatever Java objects the identifier consists of. */
@Tag("R10")
class KeyTextTest {

    private static final FenceStamp OLD = new FenceStamp(LockKey.of("lock"), FencingToken.of(3));
    private static final FenceStamp NEW = new FenceStamp(LockKey.of("lock"), FencingToken.of(5));

    private static JdbcFenceGuard guard;
    private static SessionFactory sessions;

    @BeforeAll
    static void open() {
        String url = Store.H2.newGuardedUrl();
        guard = JdbcFenceGuard.on(Store.H2.source(url));
        Configuration configuration = new Configuration();
        configuration.setProperty("hibernate.connection.url", url);
        configuration.setProperty("hibernate.hbm2ddl.auto", "create");
        List.of(
                        ByBytes.class,
                        ByParts.class,
                        ByClass.class,
                        ByKind.class,
                        ByWord.class,
                        ByFolder.class,
                        ByUuid.class,
                        ByNumber.class,
                        ByOwner.class,
                        ByConverted.class)
                .forEach(configuration::addAnnotatedClass);
        sessions = configuration.buildSessionFactory();
    }

    @AfterAll
    static void close() {
        sessions.close();
    }

    @Test
    void bytesAreHexadecimal() {
        byte[] id = {0, 15, (byte) 0xff};
        assertNamed("bytes/0x000fff", new ByBytes(id), ByBytes.class, id.clone());
    }

    @Test
    void anEmbeddedIdIsItsAttributesInAlphabeticalOrder() {
        assertNamed(
                "parts/7/1/b%2Fc",
                new ByParts(new Parts("b/c", 7, Kind.DELIVERED)), ByParts.class, new Parts("b/c", 7, Kind.DELIVERED));
    }

    @Test
    void anIdClassIsNamedLikeAnEmbeddedId() {
        ByClass row = new ByClass();
        row.zone = "b/c";
        row.area = 7;
        assertNamed("class/7/b%2Fc", row, ByClass.class, new ZonedId("b/c", 7));
    }

    @Test
    void severalPlaceholdersAreKeptApart() {
        assertNamed("folder/a%2Fb/50%25", new ByFolder("a/b", "50%"), ByFolder.class, "a/b");
        assertThat(GuardedTable.of("folder", "id", "name").resource("a/b", "50%"))
                .isEqualTo("folder/a%2Fb/50%25");
    }

    @Test
    void anEnumIsWhatItsColumnHolds() {
        assertNamed("kind/1", new ByKind(Kind.DELIVERED), ByKind.class, Kind.DELIVERED);
        assertNamed("word/DELIVERED", new ByWord(Kind.DELIVERED), ByWord.class, Kind.DELIVERED);
    }

    @Test
    void aUuidIsItsBytesInAColumnOfBytes() {
        UUID id = UUID.fromString("0000000a-0000-0000-0000-00000000000b");
        assertNamed("uuid/0x0000000a00000000000000000000000b", new ByUuid(id), ByUuid.class, id);
    }

    @Test
    void decimalNumbersThatAreEqualHaveOneName() {
        assertNamed("number/42", new ByNumber(new BigDecimal("42.00")), ByNumber.class, new BigDecimal("42"));
        assertThatThrownBy(() -> sessions.inTransaction(session -> {
                    Fencing.in(session).by(NEW);
                    session.persist(new ByNumber(new BigDecimal("42.001")));
                }))
                .hasStackTraceContaining("it would round the key 42.001");
    }

    @Test
    void anAssociationIsTheKeyThatItsColumnHolds() {
        UUID id = UUID.fromString("00000000-0000-0000-0000-0000000000AB");
        sessions.inTransaction(session -> {
            Fencing.in(session).by(NEW);
            ByNumber owner = new ByNumber(new BigDecimal("8.50"));
            session.persist(owner);
            session.persist(new ByOwner(id, owner));
        });
        assertThat(guard.highest("owner/8.5")).contains(NEW);
        assertStale(ByOwner.class, id);
    }

    @Test
    void aConvertedAttributeIsWhatTheColumnHolds() {
        ByConverted row = new ByConverted();
        row.id = 4;
        row.place = new Place(17);
        sessions.inTransaction(session -> {
            Fencing.in(session).by(NEW);
            session.persist(row);
        });
        assertThat(guard.highest("converted/17")).contains(NEW);
        assertStale(ByConverted.class, 4L);
    }

    private static void assertNamed(String resource, Object row, Class<?> type, Object id) {
        sessions.inTransaction(session -> {
            Fencing.in(session).by(NEW);
            session.persist(row);
        });
        assertThat(guard.highest(resource)).contains(NEW);
        assertStale(type, id);
    }

    private static void assertStale(Class<?> type, Object id) {
        assertThatThrownBy(() -> sessions.inTransaction(session -> {
                    Fencing.in(session).by(OLD);
                    session.remove(session.find(type, id));
                }))
                .matches(e -> Fencing.refusal(e)
                        .filter(StaleTokenException.class::isInstance)
                        .isPresent());
        sessions.inTransaction(
                session -> assertThat((Object) session.find(type, id)).isNotNull());
    }
}
