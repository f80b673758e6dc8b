package io.fenceline.redis;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;

/** Guarded keys of one Redis, each time over a connection of its own. */
final class FencesFixture implements GuardFixture {

    private final Queue<RedisFences> open = new ConcurrentLinkedQueue<>();
    private final Supplier<RedisFences> opening;
    private final Runnable restart;
    private final Function<RedisFenceGuard, GuardedData> kind;

    FencesFixture(Supplier<RedisFences> opening, Runnable restart, Function<RedisFenceGuard, GuardedData> kind) {
        this.opening = opening;
        this.restart = restart;
        this.kind = kind;
    }

    @Override
    public GuardedData open(FenceRule rule, LockListener... listeners) {
        RedisFences fences = opening.get();
        open.add(fences);
        return kind.apply(fences.guard(rule, listeners));
    }

    @Override
    public void restart() {
        close();
        restart.run();
    }

    @Override
    public int cycles() {
        return 25;
    }

    @Override
    public void close() {
        open.forEach(RedisFences::close);
        open.clear();
    }

    /** Texts as values. */
    record Values(RedisFenceGuard redis) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return redis;
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            redis.set(resource, value, stamp);
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            redis.delete(resource, stamp);
        }

        @Override
        public Optional<String> read(String resource) {
            return redis.get(resource);
        }
    }

    /** Texts as fields of hashes. */
    record Hashes(RedisFenceGuard redis) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return redis;
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            redis.hset(resource, Map.of("text", value), stamp);
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            redis.delete(resource, stamp);
        }

        @Override
        public Optional<String> read(String resource) {
            return Optional.ofNullable(redis.hgetAll(resource).get("text"));
        }
    }
}
