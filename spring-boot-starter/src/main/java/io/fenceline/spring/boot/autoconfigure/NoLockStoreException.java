package io.fenceline.spring.boot.autoconfigure;

import io.fenceline.spring.boot.FencelineProperties.Store;
import org.jspecify.annotations.Nullable;

/** The application has no store in which locks can be kept, and no URI names one. */
public final class NoLockStoreException extends RuntimeException {

    NoLockStoreException(@Nullable Store wanted) {
        super(
                wanted == null
                        ? "there is no store for the locks: fenceline.uri is not set, and the application has neither one"
                                + " DataSource nor a LettuceConnectionFactory"
                        : "there is no store for the locks: fenceline.store is " + wanted
                                + ", and the application has "
                                + (wanted == Store.JDBC
                                        ? "no DataSource, or several and none marked @FencelineDataSource"
                                        : "no LettuceConnectionFactory, or several and none primary"));
    }
}
