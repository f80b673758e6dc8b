package io.fenceline.hibernate;

import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Embeddable;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.JoinTable;
import jakarta.persistence.ManyToMany;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.MapKeyColumn;
import jakarta.persistence.OneToMany;
import jakarta.persistence.OrderColumn;
import jakarta.persistence.Table;
import java.util.List;
import java.util.Map;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.Immutable;
import org.hibernate.annotations.OptimisticLock;
import org.hibernate.annotations.OptimisticLockType;
import org.hibernate.annotations.OptimisticLocking;

/** Entities with what the check of mappings looks at. */
final class CheckedEntities {

    private CheckedEntities() {}

    @Entity(name = "ColumnAlone")
    static class ColumnAlone {
        @Id
        long id;

        @FenceColumn
        long lastFence;
    }

    @Entity(name = "ColumnOfInt")
    @Fenced(resource = "{id}")
    static class ColumnOfInt {
        @Id
        long id;

        @FenceColumn
        int lastFence;
    }

    @Entity(name = "TwoColumns")
    @Fenced(resource = "{id}")
    static class TwoColumns {
        @Id
        long id;

        @FenceColumn
        long lastFence;

        @FenceColumn
        long otherFence;
    }

    @Entity(name = "UnknownGap")
    @Fenced(resource = "x:{nobody}")
    static class UnknownGap {
        @Id
        long id;
    }

    @Entity(name = "ChangingGap")
    @Fenced(resource = "x:{town}")
    static class ChangingGap {
        @Id
        long id;

        String town;
    }

    @Embeddable
    static class FixedPart {
        @Column(updatable = false)
        String name;
    }

    @Entity(name = "ChangingPart")
    @Fenced(resource = "x:{part}")
    static class ChangingPart {
        @Id
        long id;

        FixedPart part;
    }

    @Entity(name = "ChangingBytes")
    @Fenced(resource = "x:{code}")
    static class ChangingBytes {
        @Id
        long id;

        @Column(updatable = false)
        byte[] code;
    }

    @Entity(name = "OfParts")
    @Fenced(resource = "{id}")
    static class OfParts {
        @Id
        long id;

        Part part;
    }

    @Embeddable
    @Fenced(resource = "part")
    static class Part {
        String name;
    }

    @Entity(name = "ByPlaces")
    @Fenced(resource = "x:{places}")
    static class ByPlaces {
        @Id
        long id;

        @ElementCollection
        List<String> places;
    }

    @Entity(name = "PlainNote")
    @Table(name = "note")
    static class PlainNote {
        @Id
        String id;
    }

    @Entity(name = "ReadNote")
    @Immutable
    @Table(name = "note")
    static class ReadNote {
        @Id
        String id;
    }

    @Entity(name = "MappedChild")
    @Fenced(resource = "child:{id}")
    static class MappedChild {
        @Id
        long id;

        @ManyToOne
        MappedParent parent;
    }

    @Entity(name = "JoinedChild")
    @Fenced(resource = "child:{id}")
    static class JoinedChild {
        @Id
        long id;
    }

    @Entity(name = "OrderedChild")
    @Fenced(resource = "child:{id}")
    static class OrderedChild {
        @Id
        long id;

        @ManyToOne
        OrderingParent parent;
    }

    @Entity(name = "KeyedChild")
    @Fenced(resource = "child:{id}")
    static class KeyedChild {
        @Id
        long id;

        @ManyToOne
        KeyingParent parent;
    }

    @Entity(name = "MappedParent")
    static class MappedParent {
        @Id
        long id;

        @OneToMany(mappedBy = "parent")
        List<MappedChild> children;
    }

    @Entity(name = "JoiningParent")
    static class JoiningParent {
        @Id
        long id;

        @OneToMany
        @JoinColumn(name = "parent")
        List<JoinedChild> children;
    }

    @Entity(name = "ReadingParent")
    static class ReadingParent {
        @Id
        long id;

        @OneToMany
        @JoinColumn(name = "parent", insertable = false, updatable = false)
        List<ReadChild> children;
    }

    @Entity(name = "ReadChild")
    @Fenced(resource = "child:{id}")
    static class ReadChild {
        @Id
        long id;

        @ManyToOne
        @JoinColumn(name = "parent")
        ReadingParent parent;
    }

    @Entity(name = "OrderingParent")
    static class OrderingParent {
        @Id
        long id;

        @OneToMany(mappedBy = "parent")
        @OrderColumn(name = "place")
        List<OrderedChild> children;
    }

    @Entity(name = "KeyingParent")
    static class KeyingParent {
        @Id
        long id;

        @OneToMany(mappedBy = "parent")
        @MapKeyColumn(name = "place")
        Map<String, KeyedChild> children;
    }

    @Entity(name = "TaggingParent")
    static class TaggingParent {
        @Id
        long id;

        @ElementCollection
        @CollectionTable(name = "note")
        List<String> texts;
    }

    @Entity(name = "TaggingFencedParent")
    @Fenced(resource = "parent/{id}")
    static class TaggingFencedParent {
        @Id
        long id;

        @ElementCollection
        @CollectionTable(name = "note")
        List<String> texts;
    }

    @Entity(name = "JoinTableParent")
    @Fenced(resource = "parent/{id}")
    static class JoinTableParent {
        @Id
        long id;

        @ManyToMany
        @JoinTable(name = "note")
        List<JoinedChild> children;
    }

    @Entity(name = "ParentOfViews")
    @Fenced(resource = "parent/{id}")
    static class ParentOfViews {
        @Id
        long id;

        @OneToMany
        @JoinColumn(name = "parent")
        List<ReadNote> notes;
    }

    @Entity(name = "UnwrittenColumn")
    @Fenced(resource = "unwritten/{id}")
    static class UnwrittenColumn {
        @Id
        long id;

        @FenceColumn
        @Column(updatable = false)
        Long lastFence;
    }

    @Entity(name = "ColumnAsVersion")
    @DynamicUpdate
    @OptimisticLocking(type = OptimisticLockType.DIRTY)
    @Fenced(resource = "versioned/{id}")
    static class ColumnAsVersion {
        @Id
        long id;

        @FenceColumn
        Long lastFence;
    }

    @Entity(name = "ColumnBesideVersion")
    @DynamicUpdate
    @OptimisticLocking(type = OptimisticLockType.DIRTY)
    @Fenced(resource = "versioned/{id}")
    static class ColumnBesideVersion {
        @Id
        long id;

        @FenceColumn
        @OptimisticLock(excluded = true)
        Long lastFence;
    }

    @Entity(name = "FencedTags")
    @Fenced(resource = "tags/{id}")
    static class FencedTags {
        @Id
        long id;

        @ElementCollection
        @CollectionTable(name = "tag")
        List<String> texts;
    }

    @Entity(name = "UnfencedTags")
    static class UnfencedTags {
        @Id
        long id;

        @ElementCollection
        @CollectionTable(name = "tag")
        List<String> texts;
    }
}
