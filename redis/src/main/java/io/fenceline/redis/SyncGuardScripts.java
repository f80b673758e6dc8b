package io.fenceline.redis;

import io.fenceline.FencingToken;

/** The scripts of SyncGuard's layout, the same for every prefix. */
record SyncGuardScripts(
        Script acquire,
        Script extend,
        Script release,
        Script lookup,
        Script find,
        Script list,
        Script last,
        Script raise,
        Script force) {

    /** By how much SyncGuard lets a lock outlive its end, on every store. */
    private static final int TOLERANCE_MILLIS = 1000;

    static SyncGuardScripts create() {
        return new SyncGuardScripts(
                script(true, "acquire"),
                script(true, "extend"),
                script(true, "release"),
                script(false, "lookup"),
                script(false, "find"),
                script(false, "list"),
                script(false, "last"),
                script(true, "raise"),
                script(true, "force"));
    }

    private static Script script(boolean changes, String name) {
        String constants = String.join(
                "\n",
                "local TOLERANCE_MILLIS = " + TOLERANCE_MILLIS,
                "local MAX_TOKEN = " + FencingToken.MAX_VALUE,
                changes ? Scripts.AUDIT : "");
        String[] parts = changes
                ? new String[] {"time", "syncguard/record", "audit", "syncguard/" + name}
                : new String[] {"time", "syncguard/record", "syncguard/" + name};
        return Script.joined(changes, constants, parts);
    }
}
