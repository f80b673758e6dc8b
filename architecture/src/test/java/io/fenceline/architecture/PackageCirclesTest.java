package io.fenceline.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.alwaysTrue;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.fenceline.Backends;
import io.fenceline.Locks;
import io.fenceline.LocksBuilder;
import org.junit.jupiter.api.Test;

/** No two packages depend on each other, directly or through others. */
class PackageCirclesTest {

    /** The facade creates the engine and opens backends, which in turn use the values of its package: io.fenceline. */
    @Test
    void packagesFormNoCircle() {
        slices().assignedFrom(new Packages())
                .should()
                .beFreeOfCycles()
                .ignoreDependency(belongToAnyOf(Locks.class, LocksBuilder.class, Backends.class), alwaysTrue())
                .check(Fenceline.CLASSES);
    }

    private static final class Packages implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(type.getPackageName());
        }

        @Override
        public String getDescription() {
            return "packages";
        }
    }
}
