package io.fenceline.spring.boot;

import io.fenceline.Backends;
import io.fenceline.Holder;
import io.fenceline.LockOptions;
import io.fenceline.guard.FenceRule;
import io.fenceline.spring.InTransaction;
import io.fenceline.spring.LockedAdvisor;
import io.fenceline.telemetry.KeyView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.core.Ordered;

/**
 * The properties {@code fenceline.*}.
 *
 * @param enabled whether the starter configures anything; without it annotated methods run without locks
 * @param uri the store of the locks, as the fenceline command takes it; by default the application's database or Redis
 * @param store which of the application's stores keeps the locks, if it has a database and a Redis; by default the database
 * @param ttl how long the store keeps a lock whose process died, unless an annotation says otherwise
 * @param maxWait how long to wait for a lock, unless an annotation says otherwise
 * @param safetyMargin how long before the end of the ttl a holder stops; by default a twentieth of the ttl
 * @param holder the name that other nodes see; by default the application's name with host and process id
 * @param jdbc locks in a database
 * @param redis locks in Redis
 * @param guard fences in the application's database
 * @param locked methods that are {@code @Locked} or {@code @LeaderOnly}
 * @param elections elections that this process takes part in, by group
 * @param shutdown the end of the application
 * @param telemetry meters, observations, log fields, health and the endpoint
 * @param http requests that need a stamp
 */
@ConfigurationProperties("fenceline")
public record FencelineProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String uri,
        @Nullable Store store,
        @DefaultValue("30s") Duration ttl,
        @DefaultValue("5s") Duration maxWait,
        @Nullable Duration safetyMargin,
        @Nullable String holder,
        @DefaultValue Jdbc jdbc,
        @DefaultValue Redis redis,
        @DefaultValue Guard guard,
        @DefaultValue LockedCalls locked,
        @DefaultValue Map<String, Group> elections,
        @DefaultValue Shutdown shutdown,
        @DefaultValue Telemetry telemetry,
        @DefaultValue Http http) {

    /** Less than a store on a network takes to answer now and then. */
    private static final int LEAST_TTL_MILLIS = 100;

    /**
     * Checks the durations, so that the application does not start with others.
     *
     * @throws IllegalArgumentException if they do not make {@link LockOptions}
     */
    public FencelineProperties {
        requireLongEnough(ttl);
        options(ttl, maxWait, safetyMargin);
        if (holder != null) {
            Holder.of(holder);
        }
    }

    /**
     * Returns the options of locks and elections. Work whose lease is lost is interrupted.
     *
     * @param name the holder, unless {@link #holder} names one
     * @return the options
     */
    public LockOptions options(Holder name) {
        return options(ttl, maxWait, safetyMargin).withHolder(holder == null ? name : Holder.of(holder));
    }

    private static LockOptions options(Duration ttl, Duration maxWait, @Nullable Duration safetyMargin) {
        LockOptions options =
                LockOptions.defaults().withTtl(ttl).withMaxWait(maxWait).withInterruptOnLoss();
        return safetyMargin == null ? options : options.withSafetyMargin(safetyMargin);
    }

    /** Spring Boot takes a number without a unit for milliseconds, and whoever writes 30 means seconds. */
    private static void requireLongEnough(Duration ttl) {
        if (!ttl.isNegative() && !ttl.isZero() && ttl.toMillis() < LEAST_TTL_MILLIS) {
            throw new IllegalArgumentException("ttl is " + ttl.toMillis() + " ms, it must be at least "
                    + LEAST_TTL_MILLIS + " ms; a number without a unit is milliseconds, so write 30s for 30 seconds");
        }
    }

    /** Returns the properties without the password in the URI. */
    @Override
    public String toString() {
        return "FencelineProperties[uri=" + (uri == null ? "" : Backends.withoutPassword(uri)) + ", store=" + store
                + ", ttl=" + ttl + ", maxWait=" + maxWait + "]";
    }

    /** The stores that an application may have. */
    public enum Store {
        /** A database, by its {@code DataSource}. */
        JDBC,
        /** Redis, by its {@code LettuceConnectionFactory}. */
        REDIS
    }

    /** The treatment of missing tables when the application starts. */
    public enum InitializeSchema {
        /** They are made in any database. */
        ALWAYS,
        /** They are made in an H2 in memory; elsewhere the application does not start. */
        EMBEDDED,
        /** The application does not start. */
        NEVER
    }

    /**
     * Locks in a database.
     *
     * @param initializeSchema what happens if tables of locks or fences are missing when the application starts
     * @param pool the connections of the locks
     */
    public record Jdbc(
            @DefaultValue("embedded") InitializeSchema initializeSchema,
            @DefaultValue Pool pool) {}

    /**
     * The connections of the locks. A pool of their own, since a lock whose renewal waits behind the application's statements for a
     * connection is lost.
     *
     * @param size connections; 0 uses the application's pool
     * @param connectionTimeout how long a renewal waits for one of them; best below a third of the ttl
     */
    public record Pool(
            @DefaultValue("2") int size, @DefaultValue("2s") Duration connectionTimeout) {

        /**
         * Checks the numbers.
         *
         * @throws IllegalArgumentException if the size is negative, or the timeout is below 250 ms, HikariCP's least
         */
        public Pool {
            if (size < 0) {
                throw new IllegalArgumentException(
                        "fenceline.jdbc.pool.size is " + size + ", it must be 0 (the application's pool) or more");
            }
            if (connectionTimeout.toMillis() < 250) {
                throw new IllegalArgumentException("fenceline.jdbc.pool.connection-timeout is " + connectionTimeout
                        + ", it must be 250 ms or more");
            }
        }
    }

    /**
     * Locks in Redis.
     *
     * @param keyPrefix prefix of all keys and channels
     * @param commandTimeout how long Redis may take to reply
     * @param acknowledgement grants that replicas confirm
     */
    public record Redis(
            @DefaultValue("fenceline") String keyPrefix,
            @DefaultValue("2s") Duration commandTimeout,
            @DefaultValue Replicas acknowledgement) {}

    /**
     * Grants that replicas of a Redis confirm.
     *
     * @param replicas the number of replicas; 0 for none
     * @param timeout how long to wait for them
     */
    public record Replicas(
            @DefaultValue("0") int replicas,
            @DefaultValue("1s") Duration timeout) {}

    /**
     * Fences in the application's database, which make the commit of a stale holder fail.
     *
     * @param enabled whether transactions are guarded
     * @param table the table with the fences
     * @param rule how often a grant may write
     */
    public record Guard(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("fenceline_fences") String table,
            @DefaultValue("at-least") FenceRule rule) {}

    /**
     * Methods that are {@code @Locked} or {@code @LeaderOnly}.
     *
     * @param order the place of the lock among the advisors of a method; lower than that of transactions
     * @param inTransaction what a locked call within a transaction of its caller does
     */
    public record LockedCalls(
            @DefaultValue("" + LockedAdvisor.ORDER) int order,
            @DefaultValue("refuse") InTransaction inTransaction) {

        /**
         * Checks the order.
         *
         * @throws IllegalArgumentException if it is that of transactions
         */
        public LockedCalls {
            if (order == Ordered.LOWEST_PRECEDENCE) {
                throw new IllegalArgumentException("fenceline.locked.order is " + order
                        + ", that of transactions: locks must be further outside, so give a smaller number");
            }
        }
    }

    /**
     * An election that this process takes part in.
     *
     * @param enabled whether it takes part
     * @param ttl how long a crashed leader blocks the others; by default that of the locks
     * @param candidate the name that other nodes see; by default that of the holder
     * @param hesitation how long this candidate lets others go first
     * @param claims resources in the application's database that each term claims, beside that of {@code @LeaderOnly} methods, so that no
     *     earlier leader writes there: for guards that are used directly
     */
    public record Group(
            @DefaultValue("true") boolean enabled,
            @Nullable Duration ttl,
            @Nullable String candidate,
            @DefaultValue("0s") Duration hesitation,
            @DefaultValue List<String> claims) {

        /**
         * Checks ttl and candidate, so that the application does not start with others.
         *
         * @throws IllegalArgumentException if they are not those of a lock and a holder
         */
        public Group {
            if (ttl != null) {
                requireLongEnough(ttl);
                LockOptions.requireTtl(ttl);
            }
            if (candidate != null) {
                Holder.of(candidate);
            }
        }
    }

    /**
     * The end of the application.
     *
     * @param grace how long to wait for holders that still work, before the store is closed
     */
    public record Shutdown(@DefaultValue("5s") Duration grace) {

        /**
         * Checks the grace.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Shutdown {
            if (grace.isNegative()) {
                throw new IllegalArgumentException("fenceline.shutdown.grace is " + grace + ", it must be 0 or more");
            }
        }
    }

    /**
     * Meters, observations, log fields and the endpoint.
     *
     * @param keys how lock keys and resources are shown
     */
    public record Telemetry(@DefaultValue("hidden") Keys keys) {}

    /** The ways to show lock keys and resources. */
    public enum Keys {
        /** As hashes that can be compared within a process. */
        HIDDEN,
        /** As they are; they may contain personal data. */
        PLAIN;

        /**
         * Returns the view.
         *
         * @return hashes with a new secret, or the texts as they are
         */
        public KeyView view() {
            return this == PLAIN ? KeyView.plain() : KeyView.hidden();
        }
    }

    /**
     * Requests that need a stamp; with {@code fenceline-http}.
     *
     * @param paths paths within the application that are fenced with all below them; without any there is no filter
     */
    public record Http(@DefaultValue List<String> paths) {}
}
