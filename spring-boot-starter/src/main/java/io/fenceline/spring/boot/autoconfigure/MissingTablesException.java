package io.fenceline.spring.boot.autoconfigure;

import java.util.List;

/** Tables of locks or fences are missing or different. */
public final class MissingTablesException extends RuntimeException {

    MissingTablesException(String what, List<String> problems) {
        super("the tables of the " + what + " are not as needed: " + String.join("; ", problems));
    }
}
