package io.fenceline.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import org.junit.jupiter.api.Test;

/** Who may know whom; ARCHITECTURE.md draws the same picture. */
class LayersTest {

    private static final DescribedPredicate<JavaClass> CORE = describe("core", Fenceline::isCore);
    private static final DescribedPredicate<JavaClass> VALUES = describe("values", Fenceline::isValue);
    private static final DescribedPredicate<JavaClass> JDK =
            resideInAnyPackage("java..", "javax.crypto..", "org.jspecify..");

    @Test
    void coreNeedsNothingButTheJdk() {
        classes().that(CORE).should().onlyDependOnClassesThat(CORE.or(JDK)).check(Fenceline.CLASSES);
    }

    @Test
    void valuesKnowOnlyValues() {
        classes().that(VALUES).should().onlyDependOnClassesThat(VALUES.or(JDK)).check(Fenceline.CLASSES);
    }

    @Test
    void timeKnowsNothing() {
        classes()
                .that(resideInAPackage("io.fenceline.time"))
                .should()
                .onlyDependOnClassesThat(resideInAPackage("io.fenceline.time").or(JDK))
                .check(Fenceline.CLASSES);
    }

    @Test
    void eventsKnowOnlyValues() {
        classes()
                .that(resideInAPackage("io.fenceline.telemetry"))
                .should()
                .onlyDependOnClassesThat(
                        resideInAPackage("io.fenceline.telemetry").or(VALUES).or(JDK))
                .check(Fenceline.CLASSES);
    }

    @Test
    void backendContractKnowsNothingOfTheEngine() {
        classes()
                .that(resideInAPackage("io.fenceline.spi"))
                .should()
                .onlyDependOnClassesThat(
                        resideInAPackage("io.fenceline.spi").or(VALUES).or(JDK))
                .because(Fenceline.PAGE)
                .check(Fenceline.CLASSES);
    }

    @Test
    void backendsKnowNothingOfTheEngine() {
        noClasses()
                .that()
                .resideInAnyPackage(Fenceline.backendPackages())
                .should()
                .dependOnClassesThat(resideInAPackage("io.fenceline.internal"))
                .orShould()
                .dependOnClassesThat(simpleName("Locks").or(simpleName("Lease")))
                .because(Fenceline.PAGE)
                .check(Fenceline.CLASSES);
    }

    @Test
    void backendsKnowNothingOfOneAnother() {
        noClasses()
                .that()
                .resideInAPackage("io.fenceline.redis..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.fenceline.jdbc..",
                        "io.fenceline.sqlite..",
                        "io.fenceline.firestore..",
                        "io.fenceline.memory..",
                        "java.sql..")
                .because(Fenceline.PAGE)
                .check(Fenceline.CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.fenceline.firestore..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.fenceline.jdbc..",
                        "io.fenceline.sqlite..",
                        "io.fenceline.redis..",
                        "io.fenceline.memory..",
                        "java.sql..")
                .because(Fenceline.PAGE)
                .check(Fenceline.CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.fenceline.jdbc..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.fenceline.sqlite..",
                        "io.fenceline.redis..",
                        "io.fenceline.firestore..",
                        "io.fenceline.memory..")
                .because(Fenceline.PAGE)
                .check(Fenceline.CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.fenceline.sqlite..") // it knows SQLite's guards, which are in jdbc
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.fenceline.redis..", "io.fenceline.firestore..", "io.fenceline.memory..")
                .because(Fenceline.PAGE)
                .check(Fenceline.CLASSES);
    }

    @Test
    void httpKnowsGuardsAndNothingOfLocking() {
        classes()
                .that(resideInAPackage("io.fenceline.http.."))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("io.fenceline.http..", "io.fenceline.guard")
                        .or(resideInAnyPackage("jakarta.servlet..", "com.fasterxml.jackson.core.."))
                        .or(VALUES)
                        .or(JDK))
                .check(Fenceline.CLASSES);
    }

    @Test
    void metersKnowEventsAndNoLockOrStore() {
        classes()
                .that(resideInAPackage("io.fenceline.micrometer.."))
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage("io.fenceline.micrometer..", "io.fenceline.telemetry", "io.fenceline.guard")
                                .or(resideInAPackage("io.fenceline.jdbc.trigger")) // the counts of observing triggers
                                .or(resideInAnyPackage("io.micrometer..", "org.slf4j"))
                                .or(VALUES)
                                .or(JDK))
                .check(Fenceline.CLASSES);
    }

    @Test
    void adaptersKnowLocksAndTheirLibrary() {
        assertAdapterKnows("io.fenceline.shedlock", "net.javacrumbs.shedlock.core");
        assertAdapterKnows("io.fenceline.integration", "org.springframework.integration..");
        assertAdapterKnows("io.fenceline.dbscheduler", "com.github.kagkarlsson.scheduler..");
    }

    private static void assertAdapterKnows(String adapter, String library) {
        classes()
                .that(resideInAPackage(adapter))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(adapter, library, "io.fenceline", "io.fenceline.time")
                        .or(JDK))
                .check(Fenceline.CLASSES);
    }

    @Test
    void guardsKnowNothingOfLocking() {
        classes()
                .that(resideInAPackage("io.fenceline.guard"))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("io.fenceline.guard", "io.fenceline.telemetry")
                        .or(VALUES)
                        .or(JDK))
                .because("a guard knows tokens and nothing of locking; see docs/writing-a-guard.md")
                .check(Fenceline.CLASSES);
    }

    @Test
    void onlyCoreKnowsTheEngine() {
        noClasses()
                .that(not(CORE))
                .should()
                .dependOnClassesThat(resideInAPackage("io.fenceline.internal"))
                .check(Fenceline.CLASSES);
    }

    @Test
    void commandLineFindsBackendsByTheirUri() {
        noClasses()
                .that()
                .resideInAPackage("io.fenceline.cli..")
                .and()
                .resideOutsideOfPackage("io.fenceline.cli.demo") // its workers share a table
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                                "io.fenceline.jdbc..",
                                "io.fenceline.sqlite..",
                                "io.fenceline.redis..",
                                "io.fenceline.firestore..",
                                "io.fenceline.memory..",
                                "java.sql..")
                        .and(not(resideInAPackage("io.fenceline.jdbc.trigger")))) // it writes their DDL
                .check(Fenceline.CLASSES);
    }

    @Test
    void runningAChildKnowsNothingOfLocks() {
        classes()
                .that()
                .resideInAPackage("io.fenceline.cli.process..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.fenceline.cli.process..", "java..", "sun.misc..", "org.jspecify..")
                .check(Fenceline.CLASSES);
    }

    @Test
    void springKnowsNoStoreAndOfDatabasesTheGuard() {
        noClasses()
                .that()
                .resideInAPackage("io.fenceline.spring")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.fenceline.internal..",
                        "io.fenceline.memory",
                        "io.fenceline.redis..",
                        "io.fenceline.sqlite..",
                        "io.fenceline.firestore..",
                        "org.springframework.boot..")
                .orShould()
                .dependOnClassesThat(
                        resideInAPackage("io.fenceline.jdbc..").and(not(resideInAPackage("io.fenceline.jdbc.guard"))))
                .check(Fenceline.CLASSES);
    }

    @Test
    void onlyTheStarterKnowsSpringBoot() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.fenceline.spring.boot..", "io.fenceline.spring.boot3", "io.fenceline.examples..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.boot..")
                .check(Fenceline.CLASSES);
    }

    @Test
    void hibernateKnowsGuardsAndNothingOfLocks() {
        noClasses()
                .that()
                .resideInAPackage("io.fenceline.hibernate..")
                .should()
                .dependOnClassesThat(simpleName("Locks").or(simpleName("Lease")).or(simpleName("LockBackend")))
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.fenceline.internal..",
                        "io.fenceline.redis..",
                        "io.fenceline.sqlite..",
                        "io.fenceline.jdbc.postgresql..")
                .check(Fenceline.CLASSES);
    }

    @Test
    void messagesKnowGuardsAndNoStoreOfLocks() {
        noClasses()
                .that()
                .resideInAnyPackage("io.fenceline.kafka..", "io.fenceline.amqp..", "io.fenceline.jms..")
                .should()
                .dependOnClassesThat(simpleName("Locks").or(simpleName("LockBackend")))
                .orShould()
                .dependOnClassesThat(
                        resideInAPackage("io.fenceline.jdbc..").and(not(resideInAPackage("io.fenceline.jdbc.guard"))))
                .orShould()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.fenceline.internal..",
                        "io.fenceline.redis..",
                        "io.fenceline.sqlite..",
                        "io.fenceline.firestore..")
                .check(Fenceline.CLASSES);
    }
}
