package io.fenceline.sqlite;

/** The clocks that all processes of one machine share. Safe for all threads. */
@FunctionalInterface
interface MachineClock {

    /** Reads the clocks. */
    MachineTime read();

    /**
     * Returns this machine's clocks. On Linux they have the time since the machine was started, which counts on while it is suspended and
     * cannot be set. Elsewhere, and in a container that has its own idea of that time, only the wall clock is known.
     */
    static MachineClock system() {
        return UptimeClock.isUsable() ? new UptimeClock() : MachineTime::ofWallClock;
    }
}
