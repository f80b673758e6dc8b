package io.fenceline.http;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.testkit.GuardStressContract;
import io.fenceline.testkit.GuardedData;
import io.fenceline.testkit.NoGuard;
import io.fenceline.testkit.StressedData;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two processes that change one text of a Jetty and are stopped while they hold its lock. Without the guard they use a second
 * Jetty, whose filter leaves the guarding to a servlet that does not.
 */
class HttpStressTest extends GuardStressContract {

    private final Map<String, String> texts = new ConcurrentHashMap<>();
    private JettyApplication guarding;
    private JettyApplication unguarding;

    @TempDir
    Path store;

    @BeforeEach
    void start() {
        FencedEndpoints endpoints = FencedEndpoints.defaults().withNaming((request, path) -> HttpTexts.name(request));
        guarding = JettyApplication.start(
                FenceFilter.guarding(new MemoryFenceGuard(FenceRule.AT_LEAST), endpoints),
                new HttpTexts(texts, Optional.empty()));
        unguarding = JettyApplication.start(
                FenceFilter.forGuardedHandlers(endpoints), new HttpTexts(texts, Optional.empty()));
    }

    @AfterEach
    void stop() {
        guarding.close();
        unguarding.close();
    }

    @Override
    protected String locks() {
        return "sqlite:" + store.resolve("locks.db");
    }

    @Override
    protected String address() {
        return guarding.at("/texts") + " " + unguarding.at("/texts");
    }

    @Override
    protected Class<? extends StressedData> data() {
        return Clients.class;
    }

    static final class Clients implements StressedData {

        @Override
        public GuardedData guarded(String address) {
            return client(address.split(" ")[0]);
        }

        @Override
        public GuardedData unguarded(String address) {
            return new Unguarded(client(address.split(" ")[1]));
        }

        private static GuardedData client(String texts) {
            return new HttpGuardFixture.HttpData(HttpClient.newHttpClient(), URI.create(texts), new NoGuard());
        }

        /** Clients of HTTP are not closed in Java 17. */
        @Override
        public void close() {}
    }

    /** Claims nothing. */
    private record Unguarded(GuardedData client) implements GuardedData {

        @Override
        public FenceGuard guard() {
            return new NoGuard();
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            client.write(resource, stamp, value);
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            client.delete(resource, stamp);
        }

        @Override
        public Optional<String> read(String resource) {
            return client.read(resource);
        }
    }
}
