package io.fenceline.hibernate;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Entities of all kinds of mappings, generated and compiled: each inheritance with each identifier and each place of the fence. */
final class MatrixEntities {

    enum Inheritance {
        NONE,
        SINGLE_TABLE,
        JOINED,
        TABLE_PER_CLASS,
        MAPPED_SUPERCLASS,
        SECONDARY_TABLE;

        boolean hasSubclass() {
            return this != NONE && this != SECONDARY_TABLE;
        }
    }

    enum Identifier {
        ASSIGNED("@Id public long id;", "id = number;"),
        IDENTITY("@Id @GeneratedValue(strategy = GenerationType.IDENTITY) public Long id;", ""),
        SEQUENCE("@Id @GeneratedValue(strategy = GenerationType.SEQUENCE) public Long id;", ""),
        UUID("@Id @GeneratedValue(strategy = GenerationType.UUID) public java.util.UUID id;", ""),
        EMBEDDED("@EmbeddedId public Pk id = new Pk();", "id.region = \"a/b\"; id.number = number;");

        final String field;
        final String assignment;

        Identifier(String field, String assignment) {
            this.field = field;
            this.assignment = assignment;
        }

        boolean isAssigned() {
            return !assignment.isEmpty();
        }
    }

    enum Place {
        TABLE,
        COLUMN
    }

    /**
     * One kind of mapping.
     *
     * @param root the class with the identifier, an entity unless it is a mapped superclass
     * @param leaf the entity that is written
     */
    record Mapping(
            Inheritance inheritance,
            Identifier identifier,
            Place place,
            Class<?> root,
            Class<? extends MatrixRow> leaf) {

        /** Returns the name of the root's table, with which all of its tables begin. */
        String table() {
            return root.getSimpleName().toLowerCase(Locale.ROOT);
        }

        /** Returns the entity of which HQL speaks when it means the whole hierarchy. */
        String rootEntity() {
            return inheritance == Inheritance.MAPPED_SUPERCLASS ? leaf.getSimpleName() : root.getSimpleName();
        }

        List<Class<?>> classes() {
            return inheritance == Inheritance.NONE || inheritance == Inheritance.SECONDARY_TABLE
                    ? List.of(leaf)
                    : List.of(root, leaf);
        }
    }

    private static final String HEAD = """
            package io.fenceline.hibernate.generated;
            import io.fenceline.hibernate.*;
            import jakarta.persistence.*;
            import java.util.*;
            """;

    private static final String ROOT = """
            %ENTITY% %TABLED%
            @Fenced(resource = "%TABLE%/{id}")
            public class %NAME% %IMPLEMENTS% {
                %IDENTIFIER%
                public String text;
                @Version public int version;
                %FENCE%
                %OWN%
                @ElementCollection @CollectionTable(name = "%TABLE%_tags")
                public Set<String> tags = new HashSet<>();
                public Object key() { return id; }
                public void number(long number) { %ASSIGNMENT% }
                public void text(String to) { text = to; }
                public Set<String> tags() { return tags; }
                %SETTER%
                @Embeddable public static class Pk implements java.io.Serializable {
                    public String region;
                    public long number;
                    @Override public boolean equals(Object o) { return o instanceof Pk p && p.number == number; }
                    @Override public int hashCode() { return Long.hashCode(number); }
                }
            }
            """;

    private static final String OWN = "%COLUMN% public String own;";
    private static final String SETTER = "public void own(String to) { own = to; }";
    private static final String SUB = """
            @Entity %TABLED% public class %NAME%Sub extends %NAME% implements MatrixRow {
                public String own;
                public void own(String to) { own = to; }
            }
            """;

    private MatrixEntities() {}

    /** Generates the entities of each inheritance. */
    static Map<Inheritance, List<Mapping>> generate(Path folder) {
        List<Path> sources = new ArrayList<>();
        for (Inheritance inheritance : Inheritance.values()) {
            for (Identifier identifier : identifiers(inheritance)) {
                for (Place place : Place.values()) {
                    sources.addAll(write(folder, inheritance, identifier, place));
                }
            }
        }
        compile(folder, sources);
        return load(folder);
    }

    /** Hibernate cannot number the rows of several tables by their columns. */
    private static List<Identifier> identifiers(Inheritance inheritance) {
        List<Identifier> all = new ArrayList<>(List.of(Identifier.values()));
        if (inheritance == Inheritance.TABLE_PER_CLASS) {
            all.remove(Identifier.IDENTITY);
        }
        return all;
    }

    private static List<Path> write(Path folder, Inheritance inheritance, Identifier identifier, Place place) {
        String name = name(inheritance, identifier, place);
        String table = name.toLowerCase(Locale.ROOT);
        String entity = switch (inheritance) {
            case NONE -> "@Entity";
            case SINGLE_TABLE -> "@Entity @Inheritance(strategy = InheritanceType.SINGLE_TABLE)";
            case JOINED -> "@Entity @Inheritance(strategy = InheritanceType.JOINED)";
            case TABLE_PER_CLASS -> "@Entity @Inheritance(strategy = InheritanceType.TABLE_PER_CLASS)";
            case MAPPED_SUPERCLASS -> "@MappedSuperclass";
            case SECONDARY_TABLE -> "@Entity @SecondaryTable(name = \"" + table + "_more\")";
        };
        boolean alone = !inheritance.hasSubclass();
        String column = inheritance == Inheritance.SECONDARY_TABLE ? "@Column(table = \"" + table + "_more\")" : "";
        String root = HEAD
                + ROOT.replace("%ENTITY%", entity)
                        .replace(
                                "%TABLED%",
                                inheritance == Inheritance.MAPPED_SUPERCLASS ? "" : "@Table(name = \"%TABLE%\")")
                        .replace("%IMPLEMENTS%", alone ? "implements MatrixRow" : "")
                        .replace("%IDENTIFIER%", identifier.field)
                        .replace("%ASSIGNMENT%", identifier.assignment)
                        .replace(
                                "%FENCE%",
                                place == Place.COLUMN
                                        ? "@FenceColumn @Column(nullable = false) public long fence;"
                                        : "")
                        .replace("%OWN%", alone ? OWN.replace("%COLUMN%", column) : "")
                        .replace("%SETTER%", alone ? SETTER : "")
                        .replace("%TABLE%", table)
                        .replace("%NAME%", name);
        List<Path> files = new ArrayList<>(List.of(file(folder, name, root)));
        if (!alone) {
            String tabled = inheritance == Inheritance.SINGLE_TABLE ? "" : "@Table(name = \"" + table + "sub\")";
            files.add(file(
                    folder, name + "Sub", HEAD + SUB.replace("%TABLED%", tabled).replace("%NAME%", name)));
        }
        return files;
    }

    private static String name(Inheritance inheritance, Identifier identifier, Place place) {
        return capital(inheritance.name().replace("_", "")) + capital(identifier.name()) + capital(place.name());
    }

    private static String capital(String word) {
        return word.charAt(0) + word.substring(1).toLowerCase(Locale.ROOT);
    }

    private static Path file(Path folder, String name, String text) {
        try {
            return Files.writeString(folder.resolve(name + ".java"), text);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void compile(Path folder, List<Path> sources) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-proc:none",
                    "-nowarn",
                    "-d",
                    folder.toString(),
                    "-classpath",
                    System.getProperty("java.class.path"));
            if (!compiler.getTask(errors, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call()) {
                throw new IllegalStateException(errors.toString());
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<Inheritance, List<Mapping>> load(Path folder) {
        try {
            ClassLoader loader =
                    new URLClassLoader(new URL[] {folder.toUri().toURL()}, MatrixEntities.class.getClassLoader());
            Map<Inheritance, List<Mapping>> mappings = new EnumMap<>(Inheritance.class);
            for (Inheritance inheritance : Inheritance.values()) {
                List<Mapping> these = new ArrayList<>();
                for (Identifier identifier : identifiers(inheritance)) {
                    for (Place place : Place.values()) {
                        String name = "io.fenceline.hibernate.generated." + name(inheritance, identifier, place);
                        Class<?> root = loader.loadClass(name);
                        Class<?> leaf = inheritance.hasSubclass() ? loader.loadClass(name + "Sub") : root;
                        these.add(new Mapping(inheritance, identifier, place, root, leaf.asSubclass(MatrixRow.class)));
                    }
                }
                mappings.put(inheritance, these);
            }
            return mappings;
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }
}
