package io.fenceline.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class MachineTimeTest {

    private static final Duration TTL = Duration.ofSeconds(30);

    private final ManualMachine machine = new ManualMachine();
    private final LeaseEnd end = machine.read().after(TTL.toMillis());

    @Test
    @Tag("G1")
    void aLeaseNeitherEndsNorLastsLongerWhenTheWallClockIsSet() {
        machine.pass(Duration.ofSeconds(10));

        machine.stepWallClock(Duration.ofDays(365));
        assertRemaining(Duration.ofSeconds(20));

        machine.stepWallClock(Duration.ofDays(-10_000));
        assertRemaining(Duration.ofSeconds(20));
        machine.pass(Duration.ofSeconds(20));
        assertRemaining(Duration.ZERO);
    }

    @Test
    @Tag("G1")
    void aLeaseOutlivesARestartOfTheMachineUntilItsEnd() {
        machine.pass(Duration.ofSeconds(10));
        machine.reboot();

        assertRemaining(Duration.ofSeconds(20));
        machine.pass(Duration.ofSeconds(20));
        assertRemaining(Duration.ZERO);
    }

    @Test
    @Tag("G1")
    void aLeaseLastsNoLongerThanItsTtlAfterARestartWhateverTheWallClockSays() {
        machine.reboot();
        machine.stepWallClock(Duration.ofDays(-10_000));

        assertRemaining(TTL);
        machine.pass(TTL.minusMillis(1));
        assertRemaining(Duration.ofMillis(1));
        machine.pass(Duration.ofMillis(1));
        assertRemaining(Duration.ZERO);
    }

    @Test
    @Tag("G1")
    void whereOneSideKnowsNoUptimeTheWallClockDecides() {
        machine.forgetUptime();
        assertRemaining(TTL);
        machine.pass(TTL);
        assertRemaining(Duration.ZERO);

        LeaseEnd withoutUptime = machine.read().after(TTL.toMillis());
        MachineTime withUptime = new MachineTime("boot 7", 5, machine.read().wallMillis() + 1000, 0);
        assertThat(withUptime.remainingMillis(withoutUptime)).isEqualTo(29_000);
    }

    @Test
    @Tag("G6")
    void anExtensionByALittleLessNeverMovesTheEndBackThoughTheClockIsCoarse() {
        for (long ttl = 20; ttl <= 40; ttl++) {
            for (long granted = 1000; granted < 1020; granted++) {
                LeaseEnd old = readingAt(granted).after(30);
                for (long now = granted; now < granted + 30; now++) {
                    MachineTime reading = readingAt(now);
                    if (reading.outlasts(old, ttl)) {
                        assertThat(reading.remainingMillis(old)).isGreaterThanOrEqualTo(ttl);
                    } else {
                        assertThat(reading.after(ttl).uptimeMillis()).isGreaterThanOrEqualTo(old.uptimeMillis());
                    }
                }
            }
        }
    }

    @Test
    @Tag("G6")
    void anExtensionAfterTheWallClockWasSetBackLastsForItsTtl() {
        machine.forgetUptime();
        LeaseEnd old = machine.read().after(TTL.toMillis());
        machine.stepWallClock(Duration.ofHours(-1));

        assertThat(machine.read().outlasts(old, 2 * TTL.toMillis())).isFalse();
    }

    @Test
    @Tag("G1")
    void aLeaseNeverEndsEarlyThoughTheClockIsCoarse() {
        long ttl = 25;
        for (long granted = 1000; granted < 1020; granted++) {
            LeaseEnd coarse = readingAt(granted).after(ttl);
            long now = granted;
            while (readingAt(now).remainingMillis(coarse) > 0) {
                now++;
            }
            assertThat(now - granted).isBetween(ttl, ttl + 20);
        }
    }

    @Test
    void readsTheKernelsFormat() {
        byte[] line = "1189.91 1917.19\n".getBytes(StandardCharsets.US_ASCII);

        assertThat(UptimeClock.parse(line, line.length)).isEqualTo(1_189_910);
    }

    @Test
    void noticesThatAContainerHasATimeOfItsOwn() {
        assertThat(UptimeClock.isWithoutOffset(
                        List.of("monotonic           0         0", "boottime            0         0")))
                .isTrue();
        assertThat(UptimeClock.isWithoutOffset(
                        List.of("monotonic           0         0", "boottime       86400         0")))
                .isFalse();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void followsTheRealMachineEvenInAnInterruptedThread() {
        MachineClock clock = new UptimeClock();
        MachineTime before = clock.read();
        Thread.currentThread().interrupt();

        MachineTime after = clock.read();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(after.bootId()).isEqualTo(before.bootId()).matches("[0-9a-f-]{36}");
        assertThat(after.uptimeMillis())
                .isGreaterThanOrEqualTo(before.uptimeMillis())
                .isPositive();
    }

    private void assertRemaining(Duration expected) {
        assertThat(machine.read().remainingMillis(end)).isEqualTo(expected.toMillis());
    }

    /** What a clock with a tick of 10 ms says. */
    private static MachineTime readingAt(long millis) {
        return new MachineTime("boot", millis / 10 * 10, 0, 10);
    }
}
