package io.fenceline.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Habits of the code that a reader relies on. */
class HabitsTest {

    private static final DescribedPredicate<JavaClass> CORE = describe("core", Fenceline::isCore);

    @Test
    void onlyTheTimePackageReadsAClockOrWaits() {
        noClasses()
                .that(CORE)
                .and()
                .resideOutsideOfPackage("io.fenceline.time")
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(Thread.class, "sleep", long.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(LockSupport.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(Clock.class)
                .check(Fenceline.CLASSES);
    }

    @Test
    void aBackendDoesNotSleep() {
        noClasses()
                .that()
                .resideInAnyPackage(Fenceline.backendPackages())
                .should()
                .callMethod(Thread.class, "sleep", long.class)
                .because(Fenceline.PAGE)
                .check(Fenceline.CLASSES);
    }

    @Test
    void nothingIsNamedAfterAPattern() {
        noClasses()
                .should()
                .haveNameMatching(".*(Impl|Utils?|Manager|Helper)|.*\\.(Abstract|Internal)[A-Z]\\w*")
                .check(Fenceline.CLASSES);
    }

    @Test
    void accessorsAreNotCalledGet() {
        methods()
                .that()
                .areDeclaredInClassesThat(CORE)
                .and()
                .arePublic()
                .should()
                .haveNameNotMatching("get[A-Z].*")
                .check(Fenceline.CLASSES);
    }

    @Test
    void noStateIsStaticAndMutable() {
        noFields()
                .that()
                .areDeclaredInClassesThat(CORE)
                .and()
                .areStatic()
                .should()
                .notBeFinal()
                .check(Fenceline.CLASSES);
    }

    @Test
    void nobodyPrintsOrLogsThroughALibrary() {
        noClasses()
                .that(CORE)
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.logging..", "org.slf4j..")
                .check(Fenceline.CLASSES);
    }

    /** A {@link System#out} does not tell of a full disk, so that the command would end with 0. */
    @Test
    void theCommandPrintsWhereErrorsAreNoticed() {
        noClasses()
                .that()
                .resideInAPackage("io.fenceline.cli..")
                .and()
                .doNotHaveSimpleName("DemoWorker") // the program of another process
                .should()
                .accessField(System.class, "out")
                .check(Fenceline.CLASSES);
    }
}
