package io.fenceline.spring;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A random program of transactions of two managers, one within another, with writes, callbacks and failures. One seed gives the same
 * program on any databases, as long as these let it go on.
 */
final class RandomProgram {

    private static final int[] PROPAGATIONS = {
        TransactionDefinition.PROPAGATION_REQUIRED,
        TransactionDefinition.PROPAGATION_REQUIRED,
        TransactionDefinition.PROPAGATION_REQUIRES_NEW,
        TransactionDefinition.PROPAGATION_NESTED,
        TransactionDefinition.PROPAGATION_NOT_SUPPORTED,
        TransactionDefinition.PROPAGATION_SUPPORTS
    };

    private static final int DEEPEST = 3;

    private final Random random;
    private final List<Place> places;
    private final @Nullable Runnable supersede;
    private final Set<String> tooLate = new TreeSet<>();
    private final StringBuilder steps = new StringBuilder();
    private int rows;
    private boolean superseded;

    /** What a program throws on purpose. */
    static final class Thrown extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** A database, and the rows of each of its open transactions. */
    static final class Place {
        final HikariDataSource source;
        final JdbcTemplate jdbc;
        final JdbcFenceGuard guard;
        final JdbcTransactionManager manager;
        private final Deque<List<String>> open = new ArrayDeque<>();

        Place(String url) {
            source = TestDatabase.pool(url, "TRANSACTION_READ_COMMITTED");
            jdbc = new JdbcTemplate(source);
            guard = JdbcFenceGuard.on(source);
            manager = new JdbcTransactionManager(source);
        }

        void empty() {
            jdbc.update("delete from texts");
            open.clear();
        }

        Set<String> rows() {
            return new TreeSet<>(jdbc.queryForList("select name from texts", String.class));
        }

        private boolean isInTransaction() {
            return TransactionSynchronizationManager.getResource(source) instanceof ConnectionHolder holder
                    && holder.isSynchronizedWithTransaction();
        }
    }

    /**
     * Prepares the program of a seed.
     *
     * @param supersede lets a newer holder claim what is written, at some moment; null if there is none. Only a program with one throws
     *     exceptions of transactions before a commit, to which Spring alone answers with a commit and Fenceline with a rollback
     */
    RandomProgram(long seed, List<Place> places, @Nullable Runnable supersede) {
        this.random = new Random(seed);
        this.places = places;
        this.supersede = supersede;
    }

    void run() {
        body(0);
    }

    /** The rows that may not be committed: of transactions that were open when a newer holder claimed, or began later. */
    Set<String> tooLate() {
        return tooLate;
    }

    @Override
    public String toString() {
        return steps.toString();
    }

    private void body(int depth) {
        for (int left = 1 + random.nextInt(3); left > 0; left--) {
            switch (random.nextInt(depth > DEEPEST ? 4 : 9)) {
                case 0, 1 -> insert(places.get(random.nextInt(places.size())));
                case 2 -> claim();
                case 3 -> failSomewhere();
                default -> transaction(places.get(random.nextInt(places.size())), depth);
            }
        }
    }

    private void insert(Place place) {
        if (!(TransactionSynchronizationManager.getResource(place.source) instanceof ConnectionHolder)) {
            return; // outside of transactions nothing is guarded
        }
        String row = "row" + rows++;
        steps.append("insert ").append(row).append("; ");
        place.jdbc.update("insert into texts (name) values (?)", row);
        if (superseded) {
            tooLate.add(row);
        }
        if (!place.open.isEmpty()) {
            place.open.peek().add(row);
        }
    }

    private void claim() {
        if (random.nextInt(3) == 0 && !superseded && supersede != null) {
            superseded = true;
            steps.append("superseded; ");
            supersede.run();
            places.forEach(place -> place.open.forEach(tooLate::addAll));
        }
    }

    private void failSomewhere() {
        int place = random.nextInt(6);
        RuntimeException failure = failure();
        if (TransactionSynchronizationManager.isSynchronizationActive() && random.nextInt(3) == 0) {
            steps.append("callback ").append(place).append("; ");
            TransactionSynchronizationManager.registerSynchronization(callback(place, failure));
        } else if (place == 0) {
            steps.append("throw; ");
            throw new Thrown();
        }
    }

    private RuntimeException failure() {
        return supersede != null && random.nextBoolean()
                ? new CannotCreateTransactionException("on purpose")
                : new Thrown();
    }

    private static TransactionSynchronization callback(int place, RuntimeException failure) {
        return new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                throwAt(0);
            }

            @Override
            public void beforeCompletion() {
                throwAt(1);
            }

            @Override
            public void afterCommit() {
                throwAt(2);
            }

            @Override
            public void afterCompletion(int status) {
                throwAt(3);
            }

            private void throwAt(int here) {
                if (place == here) {
                    throw failure;
                }
            }
        };
    }

    private void transaction(Place place, int depth) {
        TransactionTemplate template = new TransactionTemplate(place.manager);
        int propagation = PROPAGATIONS[random.nextInt(PROPAGATIONS.length)];
        boolean isCaught = random.nextInt(3) > 0;
        template.setPropagationBehavior(propagation);
        boolean begins = propagation == TransactionDefinition.PROPAGATION_REQUIRES_NEW
                || !place.isInTransaction()
                        && (propagation == TransactionDefinition.PROPAGATION_REQUIRED
                                || propagation == TransactionDefinition.PROPAGATION_NESTED);
        steps.append(places.indexOf(place)).append('/').append(propagation).append(" { ");
        if (begins) {
            place.open.push(new ArrayList<>());
        }
        try {
            template.executeWithoutResult(status -> {
                body(depth + 1);
                if (random.nextInt(10) == 0) {
                    status.setRollbackOnly();
                }
            });
        } catch (RuntimeException e) {
            steps.append(e.getClass().getSimpleName()).append("; ");
            if (!isCaught) {
                throw e;
            }
        } finally {
            if (begins) {
                place.open.pop();
            }
            steps.append("} ");
        }
    }

    /** A listener that fails now and then, beside those that guard. */
    TransactionExecutionListener failingListener() {
        return new TransactionExecutionListener() {
            @Override
            public void beforeCommit(TransactionExecution transaction) {
                failNowAndThen();
            }

            @Override
            public void beforeRollback(TransactionExecution transaction) {
                failNowAndThen();
            }

            private void failNowAndThen() {
                if (random.nextInt(6) == 0) {
                    steps.append("listener fails; ");
                    throw failure();
                }
            }
        };
    }
}
