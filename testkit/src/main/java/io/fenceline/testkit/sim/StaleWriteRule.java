package io.fenceline.testkit.sim;

import static io.fenceline.testkit.sim.Rule.require;

import java.util.HashMap;
import java.util.Map;

/** The fenced register takes no stale token, and so no write is based on a value that another has replaced. */
final class StaleWriteRule implements Rule {

    private final Map<String, Long> highest = new HashMap<>();

    @Override
    public void see(HistoryEntry line) {
        if (line.event() instanceof Event.Read read && read.register().equals("fenced") && read.accepted()) {
            accepted(read.key(), read.token());
        } else if (line.event() instanceof Event.Wrote wrote && wrote.register().equals("fenced") && wrote.accepted()) {
            accepted(wrote.key(), wrote.token());
            require(wrote.expected() == wrote.found(), "R4", "a write replaced a value that it had not seen");
        }
    }

    private void accepted(String key, long token) {
        long before = highest.getOrDefault(key, 0L);
        require(token >= before, "R1", "token " + token + " was accepted after " + before);
        highest.put(key, token);
    }
}
