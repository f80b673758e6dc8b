package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.Grant;
import io.fenceline.LockId;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.LockBackend;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract of backends while their store is away and when it comes back. Extended by tests with an {@link OutageFixture}. */
@Timeout(120)
public abstract class OutageContract extends AbilityContract {

    /** Creates the contract; called by test engines. */
    protected OutageContract() {}

    @Override
    protected abstract OutageFixture newFixture();

    @ParameterizedTest
    @Tag("G10")
    @MethodSource("operations")
    void isToldAsAnOutageByEveryOperation(Consumer<LockBackend> operation) {
        takeAndRelease(KEY);
        outages().stopStore();

        BackendException failure = catchThrowableOfType(BackendException.class, () -> operation.accept(backend));

        assertThat(failure).isNotNull();
        assertThat(failure.code()).isIn(ErrorCode.SERVICE_UNAVAILABLE, ErrorCode.NETWORK_TIMEOUT);
        assertThat(failure.code().isTransient()).isTrue();
    }

    @Test
    @Tag("G2")
    void costsNeitherTokensNorRunningLeases() {
        Grant released = takeAndRelease(KEY);
        Grant running = take(OTHER_KEY);

        outages().stopStore();
        outages().startStore();

        retrying(() -> backend.isLocked(KEY));
        assertThat(take(KEY).token()).isGreaterThan(released.token());
        isRefused(OTHER_KEY);
        assertHeldBy(running);
        assertThat(release(running)).isTrue();
    }

    @Test
    @Tag("G7")
    void letsAnAttemptThatFailedBeRepeatedUnderItsLockId() {
        outages().stopStore();
        AcquireRequest request = request(KEY, LockId.random(), LONG_TTL);
        assertThat(catchThrowableOfType(BackendException.class, () -> backend.acquire(request)))
                .isNotNull();
        outages().startStore();

        retrying(() -> backend.isLocked(KEY));

        Grant grant = granted(backend.acquire(request));
        assertHeldBy(grant);
    }

    static Stream<Named<Consumer<LockBackend>>> operations() {
        return HandleContract.operations();
    }

    private OutageFixture outages() {
        return (OutageFixture) fixture();
    }
}
