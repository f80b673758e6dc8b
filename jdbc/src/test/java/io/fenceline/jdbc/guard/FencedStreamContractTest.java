package io.fenceline.jdbc.guard;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.FenceGuardContract;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A stream whose last entry is seen as its value. */
@Timeout(120)
class FencedStreamContractTest {

    @Nested
    class OnPostgres extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new Streams(new PostgresPlace());
        }
    }

    @Nested
    class OnSqlite extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new Streams(new SqlitePlace());
        }
    }

    @Nested
    class OnMariaDb extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new Streams(new MariaDbPlace());
        }
    }

    /** {@code -Dfenceline.long=true} shows it. */
    @Nested
    @EnabledIfSystemProperty(named = "fenceline.long", matches = "true")
    class OnH2 extends FenceGuardContract {
        @Override
        protected GuardFixture newFixture() {
            return new Streams(new H2Place());
        }
    }

    record Streams(GuardPlace place) implements GuardFixture {

        Streams {
            FencedStream.on(place.source(), place.options()).schema().installSchema();
        }

        @Override
        public GuardedData open(FenceRule rule, LockListener... listeners) {
            return new LastEntries(FencedStream.on(
                    place.source(), place.options().withRule(rule).withListeners(listeners)));
        }

        @Override
        public void restart() {
            place.restart();
        }

        @Override
        public boolean deletes() {
            return false;
        }

        @Override
        public void close() {
            place.close();
        }
    }

    private record LastEntries(FencedStream streams) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return streams.guard();
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            streams.append(resource, stamp, value.getBytes(UTF_8));
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            throw new UnsupportedOperationException("streams only grow");
        }

        @Override
        public Optional<String> read(String resource) {
            List<StreamEntry> entries = streams.read(resource, 1, 1_000);
            return entries.stream()
                    .skip(Math.max(0, entries.size() - 1))
                    .findFirst()
                    .map(StreamEntry::text);
        }
    }
}
