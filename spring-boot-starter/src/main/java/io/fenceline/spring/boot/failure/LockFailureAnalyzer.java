package io.fenceline.spring.boot.failure;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.spring.boot.autoconfigure.MissingTablesException;
import io.fenceline.spring.boot.autoconfigure.NoLockStoreException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** Says what to do when an application does not start because of its locks. */
final class LockFailureAnalyzer implements FailureAnalyzer {

    private static final String TABLES = """
            Make them with 'fenceline schema install', or with Flyway or Liquibase from what \
            'fenceline schema print --for PRODUCT' prints, or set fenceline.jdbc.initialize-schema=always if the \
            application's role may create tables.""";

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String action = action(cause);
            if (action != null) {
                return new FailureAnalysis(String.valueOf(cause.getMessage()), action, failure);
            }
        }
        return null;
    }

    private static @Nullable String action(Throwable cause) {
        if (cause instanceof NoLockStoreException) {
            return "Add a DataSource or Spring Data Redis; of several, make one @Primary, or mark a DataSource with"
                    + " @FencelineDataSource. Or set fenceline.uri, for instance to postgresql://USER@HOST/DATABASE."
                    + " A store in memory protects one process only and must be asked for: fenceline.uri=memory:";
        }
        if (cause instanceof MissingTablesException) {
            return TABLES
                    + " Without tables of fences, set fenceline.guard.enabled=false: a stale holder's transaction can"
                    + " commit then.";
        }
        if (cause instanceof BackendException store) {
            return ofStore(store.code());
        }
        return (cause instanceof IllegalStateException || cause instanceof IllegalArgumentException)
                        && cause.getMessage() != null
                ? ofMessage(cause.getMessage())
                : null;
    }

    private static @Nullable String ofStore(ErrorCode code) {
        if (code == ErrorCode.AUTH_FAILED) {
            return "Check the user and the password of the store that keeps the locks, and the rights of that user:"
                    + " 'fenceline doctor' lists what is missing.";
        }
        return code == ErrorCode.MISCONFIGURED
                ? "Check the address of the store that keeps the locks. If tables are missing: " + TABLES
                : null;
    }

    private static @Nullable String ofMessage(String message) {
        if (message.startsWith("@") && message.contains(" cannot work: ")) {
            return "Change the method, or its annotation.";
        }
        if (message.startsWith("no backend for ")) {
            return "Correct fenceline.uri, or add the module that has this store, for instance fenceline-sqlite.";
        }
        if (message.startsWith("the transactions of ") && message.contains(" cannot be guarded: ")) {
            return "Use one of Spring's own transaction managers, not wrapped in another class, or set"
                    + " fenceline.guard.enabled=false: a stale holder's transaction can commit then.";
        }
        return message.startsWith("fenceline-hibernate needs Hibernate")
                ? "On Spring Boot 3.5 remove fenceline-hibernate: transactions that write the entities are guarded without it."
                : null;
    }
}
