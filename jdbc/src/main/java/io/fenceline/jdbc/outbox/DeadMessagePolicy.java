package io.fenceline.jdbc.outbox;

/** The treatment of the later messages of a resource when one is dead. */
public enum DeadMessagePolicy {
    /** They wait until an operator retries or skips it: nothing is ever delivered before what it was added after. */
    WAIT,
    /** They are delivered without it. A dead message that is retried comes late. */
    CONTINUE
}
