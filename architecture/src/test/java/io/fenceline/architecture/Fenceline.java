package io.fenceline.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.fenceline.spi.LockBackend;
import java.util.List;

/** The production classes of all modules. */
final class Fenceline {

    static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.fenceline");

    /** What belongs to fenceline-core, wherever the other modules put their packages. */
    static boolean isCore(JavaClass type) {
        return type.getPackageName()
                .matches("io\\.fenceline(\\.(spi|time|telemetry|internal(\\.syncguard)?|memory|guard|election))?");
    }

    /** The nouns that everything may use and that use nothing: keys, ids, tokens, outcomes, failures. */
    static boolean isValue(JavaClass type) {
        JavaClass element = type.getBaseComponentType();
        return element.getPackageName().equals("io.fenceline")
                && element.getSimpleName()
                        .matches(
                                "Grant|LockRecord|Redaction|LockOptions|LockKey|LockId|ResourceName|NameRules|Holder|FencingToken|FenceStamp|ErrorCode|Effect|LossReason|RevocationReason|"
                                        + "ReleaseOutcome|RetryPolicy|Backoff|Jitter|.*Exception");
    }

    /**
     * The packages of the modules that hold a backend, found by {@link LockBackend}: a new one needs no entry here. Decorators and
     * commands are no backends.
     */
    static String[] backendPackages() {
        String[] found = CLASSES.stream()
                .filter(type -> type.isAssignableTo(LockBackend.class)
                        && type.getModifiers().contains(JavaModifier.PUBLIC))
                .map(JavaClass::getPackageName)
                .filter(name -> !name.matches("io\\.fenceline\\.(spi|telemetry|testkit|examples)(\\..*)?"))
                .map(name -> name.replaceFirst("^(io\\.fenceline\\.\\w+).*", "$1") + "..")
                .distinct()
                .toArray(String[]::new);
        if (found.length < 4) {
            throw new IllegalStateException("backends found: " + List.of(found));
        }
        return found;
    }

    /** The page that says how to write a backend, for the messages of rules. */
    static final String PAGE =
            "a backend makes single attempts and leaves waiting to the engine; see docs/writing-a-backend.md";

    private Fenceline() {}
}
