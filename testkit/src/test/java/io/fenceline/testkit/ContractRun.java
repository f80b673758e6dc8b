package io.fenceline.testkit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs a contract inside a test, to see it fail. */
final class ContractRun {

    private ContractRun() {}

    /** Returns the names of the methods that failed. */
    static Set<String> failuresOf(Class<?> contract) {
        return failuresOf(contract, test -> true);
    }

    /** Returns the test if it failed; the contract's other tests are not run. */
    static Set<String> failuresOf(Class<?> contract, String test) {
        return failuresOf(contract, test::equals);
    }

    private static Set<String> failuresOf(Class<?> contract, Predicate<String> tests) {
        Set<String> failures = new TreeSet<>();
        PostDiscoveryFilter filter = found -> FilterResult.includedIf(
                methodOf(found.getSource()).map(tests::test).orElse(true));
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(contract))
                .filters(filter)
                .build();
        LauncherFactory.create().execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (result.getStatus() == TestExecutionResult.Status.FAILED) {
                    failures.add(methodOf(test.getSource()).orElseGet(test::getDisplayName));
                }
            }
        });
        return failures;
    }

    private static Optional<String> methodOf(Optional<TestSource> source) {
        return source.filter(MethodSource.class::isInstance).map(method -> ((MethodSource) method).getMethodName());
    }
}
