package io.fenceline.sqlite;

/** The clocks that all processes of one machine share. Safe for all threads. */
@FunctionalInterface
public interface MachineClock {

    /**
     * Reads the clocks.
     *
     * @return the time now
     */
    MachineTime read();

    /**
     * Returns this machine's clocks. On Linux they tell the time since the machine was started, which counts on while it is
     * suspended and cannot be set. Elsewhere, and in a container that has its own idea of that time, only the time of day is
     * known: there, setting it ahead ends leases early, and setting it back prolongs them.
     *
     * @return real time
     */
    static MachineClock system() {
        return UptimeClock.isUsable() ? new UptimeClock() : MachineTime::ofDay;
    }
}
