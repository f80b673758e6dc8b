package io.fenceline.telemetry;

import io.fenceline.Redaction;
import java.util.Objects;

/** Formats lock keys and resource names for spans and log fields. */
@FunctionalInterface
public interface KeyView {

    /**
     * Formats a text.
     *
     * @param text a lock key or resource name
     * @return the formatted text
     */
    String of(String text);

    /**
     * Hides texts behind a keyed hash with a secret of this process: equal texts are recognizable only within it.
     *
     * @return hashes
     */
    static KeyView hidden() {
        return hidden(Redaction.withRandomSecret());
    }

    /**
     * Hides texts behind a keyed hash.
     *
     * @param redaction hashes texts; with a shared secret all processes get the same hashes
     * @return hashes
     */
    static KeyView hidden(Redaction redaction) {
        Objects.requireNonNull(redaction, "redaction");
        return redaction::hash;
    }

    /**
     * Shows texts unchanged. They may contain personal data, which then appears in logs and traces.
     *
     * @return the identity
     */
    static KeyView plain() {
        return text -> text;
    }
}
