package io.fenceline.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No code of ours, tests included, uses the JVM's common pool.
 *
 * <p>The pool has one thread fewer than the machine has processors. On two processors a task that waits for another one waits
 * for ever: JDK 17 still starts a thread for each task there, JDK 25 does not.
 */
class CommonPoolTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final ArchRule RULE = noClasses()
            .should()
            .accessTargetWhere(describe("it runs in the common pool", CommonPoolTest::needsTheCommonPool))
            .because("tasks that wait for one another there never end on a machine with two processors");

    @Test
    void noCodeOfOursUsesTheCommonPool() throws IOException {
        RULE.check(classesAndTestsOfAllModules());
    }

    /** A rule that forgot one of them would be of no use. */
    @ParameterizedTest
    @MethodSource("uses")
    void everyUseIsFound(Class<?> use) {
        JavaClasses classes = new ClassFileImporter().importClasses(use);

        assertThrows(AssertionError.class, () -> RULE.check(classes));
    }

    static List<Class<?>> uses() {
        return List.of(CommonPoolUses.class.getDeclaredClasses());
    }

    @Test
    void threadsOfOnesOwnAreAllowed() {
        RULE.check(new ClassFileImporter().importClasses(OwnThreads.class));
    }

    record OwnThreads(Executor threads, Process process) {
        CompletableFuture<Void> run() throws InterruptedException {
            process.waitFor();
            return CompletableFuture.runAsync(() -> {}, threads)
                    .thenRunAsync(() -> {}, threads)
                    .orTimeout(1, TimeUnit.SECONDS);
        }
    }

    private static boolean needsTheCommonPool(JavaAccess<?> access) {
        if (!(access.getTarget() instanceof AccessTarget.CodeUnitAccessTarget target)) {
            return false;
        }
        JavaClass owner = target.getOwner();
        String name = target.getName();
        List<JavaClass> parameters = target.getRawParameterTypes();
        boolean noExecutor = parameters.stream().noneMatch(assignableTo(Executor.class));
        if (owner.isAssignableTo(CompletionStage.class)) {
            return noExecutor && (name.endsWith("Async") || name.equals("delayedExecutor"))
                    || name.equals("defaultExecutor");
        }
        if (owner.isAssignableTo(ConcurrentHashMap.class)) {
            return !parameters.isEmpty() && parameters.get(0).isEquivalentTo(long.class);
        }
        if (owner.isAssignableTo(SubmissionPublisher.class)) {
            return name.equals("<init>") && noExecutor;
        }
        return name.equals("parallel") && owner.isAssignableTo(BaseStream.class)
                || name.equals("parallelStream")
                || name.startsWith("parallel") && owner.isEquivalentTo(Arrays.class)
                || name.equals("commonPool") && owner.isEquivalentTo(ForkJoinPool.class)
                || owner.isAssignableTo(ForkJoinTask.class)
                        && List.of("fork", "invoke", "invokeAll").contains(name)
                || name.equals("onExit")
                        && (owner.isAssignableTo(Process.class) || owner.isAssignableTo(ProcessHandle.class));
    }

    private static JavaClasses classesAndTestsOfAllModules() throws IOException {
        List<Path> compiled = new ArrayList<>();
        List<Path> missing = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT).filter(module -> Files.exists(module.resolve("pom.xml")))) {
            modules.forEach(module -> {
                compiled(module, "src/main/java", "target/classes", compiled, missing);
                compiled(module, "src/test/java", "target/test-classes", compiled, missing);
            });
        }
        assertEquals(List.of(), missing, "compiled with the other modules: mvn test-compile");
        assertFalse(compiled.isEmpty());
        return new ClassFileImporter()
                .withImportOption(location -> !location.contains("/CommonPoolUses"))
                .importPaths(compiled);
    }

    private static void compiled(Path module, String sources, String classes, List<Path> compiled, List<Path> missing) {
        if (Files.exists(module.resolve(sources))) {
            Path folder = module.resolve(classes);
            (Files.exists(folder) ? compiled : missing).add(folder);
        }
    }
}
