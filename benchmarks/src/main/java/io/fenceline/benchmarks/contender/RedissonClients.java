package io.fenceline.benchmarks.contender;

import io.fenceline.benchmarks.store.StoreAddress;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson as it comes: its watchdog renews, its lock waits for ever. */
final class RedissonClients {

    private RedissonClients() {}

    static LockClient openLock(StoreAddress address) {
        RedissonClient redisson = open(address);
        return client(redisson, key -> new KeyLock() {
            private RLock lock;

            @Override
            public long acquire() {
                lock = redisson.getLock(key);
                lock.lock();
                return 0;
            }

            @Override
            public void release() {
                lock.unlock();
            }
        });
    }

    static LockClient openFencedLock(StoreAddress address) {
        RedissonClient redisson = open(address);
        return client(redisson, key -> new KeyLock() {
            private RFencedLock lock;

            @Override
            public long acquire() {
                lock = redisson.getFencedLock(key);
                return lock.lockAndGetToken();
            }

            @Override
            public void release() {
                lock.unlock();
            }
        });
    }

    private static RedissonClient open(StoreAddress address) {
        Config config = new Config();
        config.useSingleServer().setAddress(address.uri());
        return Redisson.create(config);
    }

    private interface KeyLocks {
        KeyLock of(String key);
    }

    private static LockClient client(RedissonClient redisson, KeyLocks locks) {
        return new LockClient() {
            @Override
            public KeyLock lock(String key) {
                return locks.of(key);
            }

            @Override
            public void close() {
                redisson.shutdown();
            }
        };
    }
}
