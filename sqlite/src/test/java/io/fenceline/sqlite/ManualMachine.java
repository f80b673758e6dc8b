package io.fenceline.sqlite;

import java.time.Duration;

/** A machine whose clocks a test moves by hand, apart from each other if it likes, and which it can restart. */
final class ManualMachine implements MachineClock {

    private MachineTime now = new MachineTime("boot 1", Duration.ofDays(3).toMillis(), 1_767_225_600_000L, 0);
    private int boots = 1;

    @Override
    public synchronized MachineTime read() {
        return now;
    }

    /** Lets time pass on all clocks. */
    synchronized void pass(Duration time) {
        now = new MachineTime(
                now.bootId(), now.uptimeMillis() + time.toMillis(), now.wallMillis() + time.toMillis(), 0);
    }

    /** Sets the time of day. */
    synchronized void stepWallClock(Duration step) {
        now = new MachineTime(now.bootId(), now.uptimeMillis(), now.wallMillis() + step.toMillis(), 0);
    }

    /** Restarts the machine, which takes no time by the time of day. */
    synchronized void reboot() {
        boots++;
        now = new MachineTime("boot " + boots, 0, now.wallMillis(), 0);
    }

    /** Moves to a system that knows the time of day only. */
    synchronized void forgetUptime() {
        now = new MachineTime("", 0, now.wallMillis(), 0);
    }
}
