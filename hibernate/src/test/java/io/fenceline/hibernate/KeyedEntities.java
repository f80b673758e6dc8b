package io.fenceline.hibernate;

import jakarta.persistence.AttributeConverter;
import jakarta.persistence.Column;
import jakarta.persistence.Convert;
import jakarta.persistence.Converter;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Objects;
import java.util.UUID;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;

/** Entities with each kind of identifier. */
final class KeyedEntities {

    private KeyedEntities() {}

    enum Kind {
        ORDERED,
        DELIVERED {
            @Override
            public String toString() {
                return "on its way";
            }
        }
    }

    @Entity(name = "ByBytes")
    @Fenced(resource = "bytes/{id}")
    static class ByBytes {
        @Id
        @Column(length = 16)
        byte[] id;

        ByBytes() {}

        ByBytes(byte[] id) {
            this.id = id;
        }
    }

    @Embeddable
    static class Parts implements Serializable {
        private static final long serialVersionUID = 1L;

        String zone;
        long area;
        Kind kind;

        Parts() {}

        Parts(String zone, long area, Kind kind) {
            this.zone = zone;
            this.area = area;
            this.kind = kind;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Parts parts && parts.area == area && parts.zone.equals(zone) && parts.kind == kind;
        }

        @Override
        public int hashCode() {
            return Objects.hash(zone, area, kind);
        }
    }

    @Entity(name = "ByParts")
    @Fenced(resource = "parts/{id}")
    static class ByParts {
        @EmbeddedId
        Parts id;

        ByParts() {}

        ByParts(Parts id) {
            this.id = id;
        }
    }

    static class ZonedId implements Serializable {
        private static final long serialVersionUID = 1L;

        String zone;
        long area;

        ZonedId() {}

        ZonedId(String zone, long area) {
            this.zone = zone;
            this.area = area;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof ZonedId id && id.area == area && id.zone.equals(zone);
        }

        @Override
        public int hashCode() {
            return Objects.hash(zone, area);
        }
    }

    @Entity(name = "ByClass")
    @IdClass(ZonedId.class)
    @Fenced(resource = "class/{id}")
    static class ByClass {
        @Id
        String zone;

        @Id
        long area;
    }

    @Entity(name = "ByKind")
    @Fenced(resource = "kind/{id}")
    static class ByKind {
        @Id
        Kind id;

        ByKind() {}

        ByKind(Kind id) {
            this.id = id;
        }
    }

    @Entity(name = "ByFolder")
    @Fenced(resource = "folder/{id}/{name}")
    static class ByFolder {
        @Id
        String id;

        @Column(updatable = false)
        String name;

        ByFolder() {}

        ByFolder(String id, String name) {
            this.id = id;
            this.name = name;
        }
    }

    @Entity(name = "ByWord")
    @Fenced(resource = "word/{id}")
    static class ByWord {
        @Id
        @Enumerated(EnumType.STRING)
        @JdbcTypeCode(SqlTypes.VARCHAR)
        Kind id;

        ByWord() {}

        ByWord(Kind id) {
            this.id = id;
        }
    }

    @Entity(name = "ByUuid")
    @Fenced(resource = "uuid/{id}")
    static class ByUuid {
        @Id
        @JdbcTypeCode(SqlTypes.VARBINARY)
        @Column(length = 16)
        UUID id;

        ByUuid() {}

        ByUuid(UUID id) {
            this.id = id;
        }
    }

    @Entity(name = "ByNumber")
    @Fenced(resource = "number/{id}")
    static class ByNumber {
        @Id
        @Column(precision = 10, scale = 2)
        BigDecimal id;

        ByNumber() {}

        ByNumber(BigDecimal id) {
            this.id = id;
        }
    }

    @Entity(name = "ByOwner")
    @Fenced(resource = "owner/{owner}")
    static class ByOwner {
        @Id
        UUID id;

        @ManyToOne
        @JoinColumn(updatable = false)
        ByNumber owner;

        ByOwner() {}

        ByOwner(UUID id, ByNumber owner) {
            this.id = id;
            this.owner = owner;
        }
    }

    record Place(int number) {}

    @Converter
    static class PlaceConverter implements AttributeConverter<Place, Integer> {
        @Override
        public Integer convertToDatabaseColumn(Place place) {
            return place == null ? null : place.number();
        }

        @Override
        public Place convertToEntityAttribute(Integer number) {
            return number == null ? null : new Place(number);
        }
    }

    @Entity(name = "ByConverted")
    @Fenced(resource = "converted/{place}")
    static class ByConverted {
        @Id
        long id;

        @Column(updatable = false)
        @Convert(converter = PlaceConverter.class)
        Place place;
    }
}
