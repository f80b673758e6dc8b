package io.fenceline.firestore;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Tests that need Firestore's emulator or a project, and are skipped with a loud line where there is neither. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsFirestore.Condition.class)
@interface NeedsFirestore {

    /** Looks once. */
    final class Condition implements ExecutionCondition {

        private static final AtomicBoolean TOLD = new AtomicBoolean();

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            Optional<TestStore> store = TestStore.find();
            if (store.isPresent()) {
                return ConditionEvaluationResult.enabled("Firestore is at " + store.get());
            }
            if (TOLD.compareAndSet(false, true)) {
                System.err.println(
                        "SKIPPED: no Firestore, so nothing of fenceline-firestore was shown: neither the lock"
                                + " backend's promises G1 to G11, nor the guard's R1 to R9, nor the generation clock's. Looked for: "
                                + TestStore.places());
            }
            return ConditionEvaluationResult.disabled("no Firestore: " + TestStore.places());
        }
    }
}
