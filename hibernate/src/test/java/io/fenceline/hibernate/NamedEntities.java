package io.fenceline.hibernate;

import jakarta.persistence.Column;
import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Inheritance;
import jakarta.persistence.InheritanceType;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.JoinTable;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import org.hibernate.annotations.ColumnTransformer;
import org.hibernate.annotations.SecondaryRow;
import org.hibernate.annotations.Type;
import org.hibernate.annotations.UuidGenerator;
import org.hibernate.type.SqlTypes;
import org.hibernate.type.descriptor.WrapperOptions;
import org.hibernate.usertype.EnhancedUserType;
import org.hibernate.usertype.UserTypeSupport;

/** Entities whose rows could have several names. */
final class NamedEntities {

    private NamedEntities() {}

    @Entity(name = "ByDate")
    @Fenced(resource = "x:{id}")
    static class ByDate {
        @Id
        Date id;
    }

    @Embeddable
    static class DatedId implements Serializable {
        private static final long serialVersionUID = 1L;

        long number;
        Date since;
    }

    @Entity(name = "ByDateInParts")
    @Fenced(resource = "x:{id}")
    static class ByDateInParts {
        @EmbeddedId
        DatedId id;
    }

    @Entity(name = "ByFraction")
    @Fenced(resource = "x:{share}")
    static class ByFraction {
        @Id
        long id;

        @Column(updatable = false)
        Double share;
    }

    @Entity(name = "ByDay")
    @Fenced(resource = "x:{id}")
    static class ByDay {
        @Id
        LocalDate id;
    }

    @Entity(name = "ByExpression")
    @Fenced(resource = "x:{town}")
    static class ByExpression {
        @Id
        long id;

        @Column(updatable = false)
        @ColumnTransformer(write = "upper(?)")
        String town;
    }

    /** Sends texts in capitals. */
    static class Capitals extends UserTypeSupport<String> implements EnhancedUserType<String> {
        Capitals() {
            super(String.class, SqlTypes.VARCHAR);
        }

        @Override
        public void nullSafeSet(PreparedStatement statement, String text, int index, WrapperOptions options)
                throws SQLException {
            statement.setString(index, text.toUpperCase(Locale.ROOT));
        }

        @Override
        public String toSqlLiteral(String text) {
            return '\'' + text + '\'';
        }

        @Override
        public String toString(String text) {
            return text;
        }

        @Override
        public String fromStringValue(CharSequence text) {
            return text.toString();
        }
    }

    @Entity(name = "ByUserType")
    @Fenced(resource = "x:{id}")
    static class ByUserType {
        @Id
        @Type(Capitals.class)
        String id;
    }

    @Entity(name = "ByDefault")
    @Fenced(resource = "x:{town}")
    static class ByDefault {
        @Id
        long id;

        @Column(insertable = false, updatable = false)
        String town;
    }

    @Entity(name = "ByGenerated")
    @Fenced(resource = "x:{town}")
    static class ByGenerated {
        @Id
        long id;

        @Column(updatable = false)
        @UuidGenerator
        String town;
    }

    @Entity(name = "OtherNote")
    @Table(name = "note")
    @Fenced(resource = "another/{id}")
    static class OtherNote {
        @Id
        String id;
    }

    @Entity(name = "NoteInSchema")
    @Table(name = "NOTE", schema = "public")
    @Fenced(resource = "another/{id}")
    static class NoteInSchema {
        @Id
        String id;
    }

    @Entity(name = "NoteInOtherSchema")
    @Table(name = "note", schema = "other")
    @Fenced(resource = "third/{id}")
    static class NoteInOtherSchema {
        @Id
        String id;
    }

    @Entity(name = "Branch")
    @Fenced(resource = "branch/{id}")
    static class Branch {
        @Id
        long id;
    }

    @Entity(name = "OtherBranch")
    @Fenced(resource = "another/{id}")
    static class OtherBranch extends Branch {}

    @Entity(name = "Unfenced")
    static class Unfenced {
        @Id
        long id;
    }

    @Entity(name = "FencedLeaf")
    @Fenced(resource = "leaf/{id}")
    static class FencedLeaf extends Unfenced {}

    @Entity(name = "Unwritten")
    abstract static class Unwritten {
        @Id
        long id;
    }

    @Entity(name = "HeirsOwner")
    static class HeirsOwner {
        @Id
        long id;

        @OneToMany
        @JoinColumn(name = "owner")
        List<Unwritten> heirs;
    }

    @Entity(name = "NoteByText")
    @Table(name = "note")
    @Fenced(resource = "{id}")
    static class NoteByText {
        @Id
        @Column(name = "text")
        String id;
    }

    @Entity(name = "ByReadExpression")
    @Fenced(resource = "x:{town}")
    static class ByReadExpression {
        @Id
        long id;

        @Column(updatable = false)
        @ColumnTransformer(read = "upper(town)")
        String town;
    }

    @Entity(name = "FencedHeir")
    @Fenced(resource = "heir/{id}")
    static class FencedHeir extends Unwritten {}

    @Entity(name = "Apart")
    @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)
    static class Apart {
        @Id
        long id;
    }

    @Entity(name = "FencedApart")
    @Fenced(resource = "apart/{id}")
    static class FencedApart extends Apart {}

    @Entity(name = "SharingParent")
    @Fenced(resource = "parent/{id}")
    static class SharingParent {
        @Id
        long id;

        @OneToMany
        @JoinTable(
                name = "parent_child",
                joinColumns = @JoinColumn(name = "parent"),
                inverseJoinColumns = @JoinColumn(name = "child"))
        List<SharingChild> children;
    }

    /** Hibernate's way to read an association that the other side writes. */
    @Entity(name = "SharingChild")
    @Fenced(resource = "child/{id}")
    @SecondaryRow(table = "parent_child", owned = false)
    static class SharingChild {
        @Id
        long id;

        @ManyToOne
        @JoinTable(
                name = "parent_child",
                joinColumns = @JoinColumn(name = "child"),
                inverseJoinColumns = @JoinColumn(name = "parent"))
        SharingParent parent;
    }
}
