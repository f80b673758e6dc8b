package io.fenceline.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

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

    private Fenceline() {}
}
