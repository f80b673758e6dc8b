package io.fenceline.cli.run;

import io.fenceline.Grant;
import io.fenceline.cli.context.CommandContext;
import io.fenceline.cli.context.ProcessEnvironment;
import java.util.HashMap;
import java.util.Map;

/** Environment variables of a command that runs under a lock. */
final class ChildVariables {

    private ChildVariables() {}

    static Map<String, String> of(Grant grant, CommandContext context) {
        Map<String, String> variables = new HashMap<>(Map.of(
                "FENCELINE_TOKEN", grant.token().text(),
                "FENCELINE_KEY", grant.key().value(),
                "FENCELINE_LOCK_ID", grant.lockId().text(),
                "FENCELINE_BACKEND", context.store().uriForChild(context.environment())));
        String locale = context.environment().variables().get(ProcessEnvironment.CALLERS_LOCALE);
        if (locale != null) {
            variables.put("LC_ALL", locale);
        }
        return variables;
    }
}
