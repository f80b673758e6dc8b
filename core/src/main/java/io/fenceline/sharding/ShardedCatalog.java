package io.fenceline.sharding;

import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.LockRecord;
import io.fenceline.spi.Checks;
import io.fenceline.spi.LockCatalog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The catalogs of all stores as one, without {@link StoreRecords} and without what a store still has of keys that now belong to
 * another one.
 */
record ShardedCatalog(List<Shard> shards, Generation generation, Membership membership) implements LockCatalog {

    /** The order of code points is that of bytes in UTF-8. */
    private static final Comparator<LockKey> ORDER =
            Comparator.comparing(key -> key.value().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);

    @Override
    public List<LockRecord> list(String prefix, int limit) {
        Checks.limit(limit);
        return shards.stream()
                .flatMap(shard -> catalog(shard).list(prefix, limit).stream()
                        .filter(record -> owns(shard, record.raw().key())))
                .sorted(Comparator.comparing(record -> record.raw().key(), ORDER))
                .limit(limit)
                .map(generation::shown)
                .toList();
    }

    @Override
    public List<KeyToken> tokens(String prefix, String after, int limit) {
        Checks.limit(limit);
        return shards.stream()
                .flatMap(shard -> tokens(shard, prefix, after, limit).stream())
                .sorted(Comparator.comparing(KeyToken::key, ORDER))
                .limit(limit)
                .map(each -> new KeyToken(each.key(), generation.shown(each.key(), each.last())))
                .toList();
    }

    /** Reads as many pages as it takes to find enough keys that belong to the store. */
    private List<KeyToken> tokens(Shard shard, String prefix, String after, int limit) {
        List<KeyToken> owned = new ArrayList<>();
        String last = after;
        while (owned.size() < limit) {
            List<KeyToken> page = catalog(shard).tokens(prefix, last, limit);
            if (page.isEmpty()) {
                break;
            }
            page.stream().filter(each -> owns(shard, each.key())).forEach(owned::add);
            last = page.get(page.size() - 1).key().value();
        }
        return owned;
    }

    @Override
    public Optional<FencingToken> lastToken(LockKey key) {
        return catalog(key).lastToken(key).map(token -> generation.shown(key, token));
    }

    @Override
    public FencingToken raiseToken(LockKey key, FencingToken atLeast, Holder by) {
        membership.ensureRecorded(LockOptions.MAX_TTL);
        FencingToken stored = generation.stored(atLeast, membership.isCounted());
        return generation.shown(key, catalog(key).raiseToken(key, stored, by));
    }

    @Override
    public Optional<LockRecord> forceRelease(LockKey key, Holder by) {
        membership.ensureRecorded(LockOptions.MAX_TTL);
        return catalog(key).forceRelease(key, by).map(generation::shown);
    }

    @Override
    public boolean keepsRecords() {
        return shards.stream().allMatch(shard -> catalog(shard).keepsRecords());
    }

    private boolean owns(Shard shard, LockKey key) {
        return !StoreRecords.isRecord(key) && Shard.of(key, shards).equals(shard);
    }

    private LockCatalog catalog(LockKey key) {
        return catalog(Shard.of(key, shards));
    }

    private static LockCatalog catalog(Shard shard) {
        return shard.ability(LockCatalog.class);
    }
}
