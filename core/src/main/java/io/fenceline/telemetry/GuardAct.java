package io.fenceline.telemetry;

/** What a guard is asked for. */
public enum GuardAct {

    /** A write: check and effect. */
    WRITE,

    /** A claim: the greatest token is raised and nothing is written. */
    CLAIM
}
