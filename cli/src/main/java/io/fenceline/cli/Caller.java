package io.fenceline.cli;

import io.fenceline.Holder;

/** The default holder name, {@code USER@HOST:PID}. */
final class Caller {

    private Caller() {}

    /** {@code USER@HOST:PID}. */
    static Holder of(Surroundings surroundings) {
        String process = Holder.ofThisProcess().text();
        String user = surroundings.variable("USER").isEmpty()
                ? System.getProperty("user.name")
                : surroundings.variable("USER");
        return user == null || user.length() + 1 + process.length() > Holder.MAX_LENGTH
                ? Holder.of(process)
                : Holder.of(user + "@" + process);
    }
}
