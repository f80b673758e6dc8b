package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.Grant;
import io.fenceline.spi.LockBackend;
import io.fenceline.testkit.net.FaultProxy;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Contract for connections that break between two calls, cannot be made, or are slow. */
abstract class BrokenConnectionContract extends NetworkVocabulary {

    private static final Duration DELAY = Duration.ofMillis(10);

    @ParameterizedTest
    @Tag("G10")
    @MethodSource("breaks")
    void areToldAsAnOutageIfAtAll(Consumer<FaultProxy> breaking) {
        for (Named<Consumer<LockBackend>> operation : operations()) {
            LockBackend handle = fixture().open();
            warm(handle);

            breaking.accept(proxy());

            try {
                operation.getPayload().accept(handle);
            } catch (BackendException noticed) {
                assertOutage(noticed);
            }
            handle.close();
        }
    }

    @ParameterizedTest
    @Tag("G10")
    @MethodSource("breaks")
    void areReplacedByTheBackendItself(Consumer<FaultProxy> breaking) {
        warm(backend);

        breaking.accept(proxy());

        retrying(() -> backend.isLocked(KEY));
        retrying(() -> backend.isLocked(KEY));
        assertWorks();
    }

    @ParameterizedTest
    @Tag("G10")
    @MethodSource("operationsAsStream")
    void areToldAsAnOutageIfTheyAreRefused(Consumer<LockBackend> operation) {
        warm(backend);

        proxy().refuse();
        proxy().cut();

        outageOf(() -> operation.accept(backend));
        outageOf(() -> operation.accept(backend));
    }

    @Test
    @Tag("G2")
    void costNeitherTokensNorRunningLeases() {
        Grant released = takeAndRelease(KEY);
        Grant running = take(OTHER_KEY);
        proxy().refuse();
        proxy().cut();
        outageOf(() -> backend.isLocked(KEY));

        proxy().heal();

        retrying(() -> backend.isLocked(KEY));
        assertThat(retrying(() -> take(KEY)).token()).isGreaterThan(released.token());
        isRefused(OTHER_KEY);
        assertThat(release(running)).isTrue();
    }

    @Test
    void areRightThoughSlow() {
        warm(backend);
        proxy().toServer().delay(DELAY);
        proxy().toClient().delay(DELAY);

        assertWorks();
    }

    static Stream<Named<Consumer<FaultProxy>>> breaks() {
        return Stream.of(
                Named.of("cut", FaultProxy::cut),
                Named.of("ended", FaultProxy::end),
                Named.of("half-closed towards us", proxy -> proxy.toClient().end()),
                Named.of(
                        "half-closed towards the store",
                        proxy -> proxy.toServer().end()));
    }

    static Stream<Named<Consumer<LockBackend>>> operationsAsStream() {
        return HandleContract.operations();
    }
}
