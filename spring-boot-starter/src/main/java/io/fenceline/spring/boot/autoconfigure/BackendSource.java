package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.spi.LockBackend;
import io.fenceline.spring.boot.FencelineProperties.Store;

/** A store that the application has already, and in which locks can be kept. */
interface BackendSource {

    /** Returns which store it is. */
    Store store();

    /** Returns whether the application has it. */
    boolean isAvailable();

    /** Opens it, with connections of its own. */
    LockBackend open();
}
