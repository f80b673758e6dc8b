package io.fenceline.servers;

import java.util.ArrayList;
import java.util.List;

/**
 * Configuration of a {@link RedisServer}: names and values as in {@code redis.conf}.
 *
 * @param directives names and values by turns
 */
public record RedisSettings(List<String> directives) {

    /** Copies the list. */
    public RedisSettings {
        directives = List.copyOf(directives);
    }

    /** Returns settings without persistence. */
    public static RedisSettings inMemory() {
        return new RedisSettings(List.of("save", "", "appendonly", "no"));
    }

    /** Returns settings with an append-only file that is synced for every change. */
    public static RedisSettings durable() {
        return new RedisSettings(List.of("save", "", "appendonly", "yes", "appendfsync", "always"));
    }

    /** Returns a copy with one more setting. */
    public RedisSettings with(String name, String value) {
        List<String> longer = new ArrayList<>(directives);
        longer.add(name);
        longer.add(value);
        return new RedisSettings(longer);
    }

    /** Returns the last value of a directive, empty if it is not set. */
    String valueOf(String name) {
        String value = "";
        for (int i = 0; i < directives.size(); i += 2) {
            if (directives.get(i).equals(name)) {
                value = directives.get(i + 1);
            }
        }
        return value;
    }

    /** Returns the settings as a server's command line takes them. */
    List<String> arguments() {
        List<String> arguments = new ArrayList<>();
        for (int i = 0; i < directives.size(); i += 2) {
            arguments.add("--" + directives.get(i));
            arguments.addAll(List.of(directives.get(i + 1).split(" ", -1)));
        }
        return arguments;
    }
}
