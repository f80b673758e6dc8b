package io.fenceline.telemetry;

/** The kinds of requests to a guard. */
public enum GuardAct {

    /** A write: check and effect. */
    WRITE,

    /** A claim: the greatest token is raised and nothing is written. */
    CLAIM
}
