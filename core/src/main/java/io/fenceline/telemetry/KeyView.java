package io.fenceline.telemetry;

import io.fenceline.Redaction;
import java.util.Objects;

/** Converts lock keys and names of resources for places where others may read them: spans and log fields. */
@FunctionalInterface
public interface KeyView {

    /**
     * Returns what is shown.
     *
     * @param text a lock key or a resource's name as it is
     * @return the text that stands for it
     */
    String of(String text);

    /**
     * Hides texts behind a keyed hash whose secret ends with the process: equal ones can be recognised within it, and nowhere
     * else.
     *
     * @return hashes
     */
    static KeyView hidden() {
        return hidden(Redaction.withRandomSecret());
    }

    /**
     * Hides texts behind a keyed hash.
     *
     * @param redaction hashes; with a shared secret all processes hash alike
     * @return hashes
     */
    static KeyView hidden(Redaction redaction) {
        Objects.requireNonNull(redaction, "redaction");
        return redaction::hash;
    }

    /**
     * Shows texts as they are: they may name customers, and then are in every log and trace.
     *
     * @return the texts themselves
     */
    static KeyView plain() {
        return text -> text;
    }
}
