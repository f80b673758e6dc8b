package io.fenceline.http;

import io.fenceline.BackendException;
import io.fenceline.Effect;
import io.fenceline.ErrorCode;
import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.Verdict;
import io.fenceline.telemetry.LockListener;
import io.fenceline.testkit.GuardFixture;
import io.fenceline.testkit.GuardedData;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;

/** A server for each rule, and its clients. The guards are in the server's memory and outlive its restarts. */
final class HttpGuardFixture implements GuardFixture {

    private static final FencedEndpoints ENDPOINTS =
            FencedEndpoints.defaults().withNaming((request, path) -> HttpTexts.name(request));

    /** Where the guard stands. */
    enum Mode {
        FILTER((guard, texts) ->
                JettyApplication.start(FenceFilter.guarding(guard, ENDPOINTS), new HttpTexts(texts, Optional.empty()))),
        HANDLER((guard, texts) -> JettyApplication.start(
                FenceFilter.forGuardedHandlers(ENDPOINTS).withClaims(guard), new HttpTexts(texts, Optional.of(guard))));

        private final BiFunction<MemoryFenceGuard, Map<String, String>, JettyApplication> application;

        Mode(BiFunction<MemoryFenceGuard, Map<String, String>, JettyApplication> application) {
            this.application = application;
        }
    }

    private final HttpClient client = HttpClient.newHttpClient();
    private final Mode mode;
    private final Map<String, String> texts = new ConcurrentHashMap<>();
    private final Map<FenceRule, MemoryFenceGuard> guards = new EnumMap<>(FenceRule.class);
    private final Map<FenceRule, JettyApplication> servers = new EnumMap<>(FenceRule.class);

    HttpGuardFixture(Mode mode) {
        this.mode = mode;
    }

    @Override
    public synchronized GuardedData open(FenceRule rule, LockListener... listeners) {
        MemoryFenceGuard guard = guards.computeIfAbsent(rule, wanted -> new MemoryFenceGuard(wanted, listeners));
        JettyApplication server = servers.computeIfAbsent(rule, wanted -> mode.application.apply(guard, texts));
        return new HttpData(client, server.at("/texts"), guard);
    }

    @Override
    public synchronized void restart() {
        close();
    }

    @Override
    public synchronized void close() {
        servers.values().forEach(JettyApplication::close);
        servers.clear();
    }

    /** All goes over the wire but {@link FenceGuard#check}, which HTTP has no request for. */
    record HttpData(HttpClient client, URI texts, FenceGuard inServer) implements GuardedData, FenceGuard {

        @Override
        public FenceGuard guard() {
            return this;
        }

        @Override
        public void claim(String resource, FenceStamp stamp) {
            send(FencedRequests.claim(at(resource), stamp));
        }

        @Override
        public Verdict check(String resource, FenceStamp stamp) {
            return inServer.check(resource, stamp);
        }

        @Override
        public Optional<FenceStamp> highest(String resource) {
            return FenceHeaders.readAll(
                    send(FencedRequests.highest(at(resource))).headers().map());
        }

        @Override
        public void write(String resource, FenceStamp stamp, String value) {
            send(FencedRequests.stamp(HttpRequest.newBuilder(at(resource)), stamp)
                    .PUT(BodyPublishers.ofString(value)));
        }

        @Override
        public void delete(String resource, FenceStamp stamp) {
            send(FencedRequests.stamp(HttpRequest.newBuilder(at(resource)), stamp)
                    .DELETE());
        }

        @Override
        public Optional<String> read(String resource) {
            HttpResponse<String> response = send(HttpRequest.newBuilder(at(resource)));
            return response.statusCode() == 404 ? Optional.empty() : Optional.of(response.body());
        }

        private URI at(String resource) {
            return URI.create(texts + "?name=" + URLEncoder.encode(resource, StandardCharsets.UTF_8));
        }

        private HttpResponse<String> send(HttpRequest.Builder request) {
            try {
                HttpResponse<String> response = FencedRequests.send(client, request.build(), BodyHandlers.ofString());
                if (response.statusCode() >= 400 && response.statusCode() != 404) {
                    throw new IllegalStateException("status " + response.statusCode() + ": " + response.body());
                }
                return response;
            } catch (IOException e) {
                throw new BackendException(ErrorCode.ABORTED, Effect.UNKNOWN, "no answer", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }
}
