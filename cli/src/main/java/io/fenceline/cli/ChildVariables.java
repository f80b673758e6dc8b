package io.fenceline.cli;

import io.fenceline.Grant;
import java.util.HashMap;
import java.util.Map;

/** The environment variables that are set for a command that runs under a lock. */
final class ChildVariables {

    private ChildVariables() {}

    static Map<String, String> of(Grant grant, Fenceline root) {
        Map<String, String> variables = new HashMap<>(Map.of(
                "FENCELINE_TOKEN", grant.token().text(),
                "FENCELINE_KEY", grant.key().value(),
                "FENCELINE_LOCK_ID", grant.lockId().text(),
                "FENCELINE_BACKEND", root.store().uriForChild(root.surroundings())));
        String locale = root.surroundings().variables().get(Surroundings.CALLERS_LOCALE);
        if (locale != null) {
            variables.put("LC_ALL", locale);
        }
        return variables;
    }
}
