package io.fenceline.cli.context;

import io.fenceline.Holder;

/** The default holder name, {@code USER@HOST:PID}. */
public final class DefaultHolder {

    private DefaultHolder() {}

    public static Holder of(ProcessEnvironment environment) {
        String process = Holder.ofThisProcess().text();
        String user =
                environment.variable("USER").isEmpty() ? System.getProperty("user.name") : environment.variable("USER");
        return user == null || user.length() + 1 + process.length() > Holder.MAX_LENGTH
                ? Holder.of(process)
                : Holder.of(user + "@" + process);
    }
}
