package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fenceline.Grant;
import io.fenceline.cli.output.ExitCode;
import java.io.InputStream;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How {@code hold} ends. */
class HoldCommandTest extends CommandTest {

    @Test
    void endsWithStandardInputAndReleases() {
        StringWriter out = new StringWriter();
        InputStream endsOnceHeld = new InputStream() {
            @Override
            public int read() {
                await().atMost(FencelineProcess.PATIENCE)
                        .until(() -> out.toString().contains("lockId"));
                return -1;
            }
        };
        CommandRun held = CommandRun.of(
                Map.of("FENCELINE_BACKEND", store.uri()),
                endsOnceHeld,
                out,
                new StringWriter(),
                false,
                "hold",
                "--json",
                "--holder",
                "me",
                "nightly");
        assertThat(held.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(held.out().strip())
                .matches("\\{\"key\":\"nightly\",\"token\":\"000000000000001\",\"lockId\":\"[\\w-]{22}\","
                        + "\"holder\":\"me\"}");
        assertThat(store.isLocked("nightly")).isFalse();
    }

    @Test
    void refusesAnInputThatIsAtItsEndFromTheStart() {
        CommandRun refused = store.run("hold", "nightly");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).contains("--for DURATION or --until-signal").hasLineCount(1);
        assertThat(store.run("show", "nightly").out()).contains("none yet");
    }

    @Test
    void refusesAnInputThatEndsBeforeTheLockIsAcquired() {
        Grant grant = store.hold("nightly", "alice");
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        InputStream endsWhileItWaits = new InputStream() {
            @Override
            public int read() {
                await().atMost(FencelineProcess.PATIENCE)
                        .until(() -> err.toString().contains("waiting for lock 'nightly'"));
                releaseAfterTheEndOf(Thread.currentThread(), grant);
                return -1;
            }
        };
        CommandRun refused = CommandRun.of(
                Map.of("FENCELINE_BACKEND", store.uri()), endsWhileItWaits, out, err, false, "hold", "-v", "nightly");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.out()).as("a token that nobody holds").isEmpty();
        assertThat(store.isLocked("nightly")).isFalse();
    }

    private void releaseAfterTheEndOf(Thread reader, Grant grant) {
        Thread releasing = new Thread(() -> {
            try {
                reader.join();
                store.backend().release(grant.key(), grant.lockId());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        releasing.start();
    }

    @Test
    void lastsForItsDurationWhateverStandardInputDoes() {
        long before = System.nanoTime();
        assertThat(store.run("hold", "--for", "300ms", "nightly").exitCode()).isEqualTo(ExitCode.OK);
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(300_000_000);
    }

    @Test
    void givesUpAtOnceOrAfterItsWait() {
        store.hold("nightly", "alice");
        CommandRun taken = store.run("hold", "-n", "--for", "1", "nightly");
        assertThat(taken.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(taken.err()).isEqualToIgnoringNewLines("fenceline: lock 'nightly' is held by alice");
        CommandRun waited = store.run("hold", "-w", "0.2", "--for", "1", "-E", "42", "nightly");
        assertThat(waited.exitCode()).isEqualTo(42);
        assertThat(waited.err()).isEqualToIgnoringNewLines("fenceline: lock 'nightly' is held by alice; waited 200ms");
        CommandRun skipped = store.run("hold", "-n", "-E", "0", "--for", "1", "nightly");
        assertThat(skipped.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(skipped.err()).isEmpty();
    }
}
