package io.fenceline.cli.run;

import io.fenceline.Grant;
import io.fenceline.cli.context.CommandContext;
import java.util.Map;

/** Environment variables of a command that runs under a lock. */
final class ChildVariables {

    private ChildVariables() {}

    static Map<String, String> of(Grant grant, CommandContext context) {
        return Map.of(
                "FENCELINE_TOKEN", grant.token().text(),
                "FENCELINE_KEY", grant.key().value(),
                "FENCELINE_LOCK_ID", grant.lockId().text(),
                "FENCELINE_BACKEND", context.store().uriForChild(context.environment()));
    }
}
