package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.output.ExitCode;
import org.junit.jupiter.api.Test;

/** How {@code hold} ends. */
class HoldCommandTest extends CommandTest {

    @Test
    void endsWithStandardInputAndReleases() {
        CommandRun held = store.run("hold", "--json", "--holder", "me", "nightly");
        assertThat(held.exitCode()).isEqualTo(ExitCode.OK);
        assertThat(held.out().strip())
                .matches("\\{\"key\":\"nightly\",\"token\":\"000000000000001\",\"lockId\":\"[\\w-]{22}\","
                        + "\"holder\":\"me\"}");
        assertThat(store.isLocked("nightly")).isFalse();
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
        CommandRun taken = store.run("hold", "-n", "nightly");
        assertThat(taken.exitCode()).isEqualTo(ExitCode.NO);
        assertThat(taken.err()).isEqualToIgnoringNewLines("fenceline: lock 'nightly' is held by alice");
        CommandRun waited = store.run("hold", "-w", "0.2", "-E", "42", "nightly");
        assertThat(waited.exitCode()).isEqualTo(42);
        assertThat(waited.err()).isEqualToIgnoringNewLines("fenceline: lock 'nightly' is held by alice; waited 200ms");
    }
}
