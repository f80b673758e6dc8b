package io.fenceline.http;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.MemoryFenceGuard;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.assertj.core.api.Condition;
import org.junit.jupiter.api.AfterEach;

/** A server behind the filter, and a plain client. */
abstract class FilteredServer {

    static final HttpClient CLIENT = HttpClient.newHttpClient();

    final MemoryFenceGuard guard = new MemoryFenceGuard();
    final List<String> handled = new CopyOnWriteArrayList<>();
    final List<JettyApplication> started = new CopyOnWriteArrayList<>();
    JettyApplication server = start(FenceFilter.guarding(guard, FencedEndpoints.defaults()), this::note);

    @FunctionalInterface
    interface Handler {
        void handle(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException;
    }

    JettyApplication start(FenceFilter filter, Handler handler) {
        JettyApplication application = JettyApplication.start(filter, new HttpServlet() {
            @Override
            protected void service(HttpServletRequest request, HttpServletResponse response)
                    throws IOException, ServletException {
                handler.handle(request, response);
            }
        });
        started.add(application);
        return application;
    }

    void note(HttpServletRequest request, HttpServletResponse response) {
        handled.add(request.getMethod() + " " + request.getPathInfo());
    }

    @AfterEach
    void stop() {
        started.forEach(JettyApplication::close);
    }

    HttpRequest.Builder request(String method, String path) {
        return HttpRequest.newBuilder(server.at(path)).method(method, BodyPublishers.noBody());
    }

    HttpRequest stamped(String method, String path, FenceStamp stamp) {
        return FencedRequests.stamp(request(method, path), stamp).build();
    }

    HttpResponse<String> send(String method, String path) throws Exception {
        return sent(request(method, path));
    }

    HttpResponse<String> send(String method, String path, FenceStamp stamp) throws Exception {
        return sent(FencedRequests.stamp(request(method, path), stamp));
    }

    static HttpResponse<String> sent(HttpRequest.Builder request) throws Exception {
        return CLIENT.send(request.build(), BodyHandlers.ofString());
    }

    static FenceStamp stamp(long token) {
        return stamp("order:42", token);
    }

    static FenceStamp stamp(String lock, long token) {
        return new FenceStamp(LockKey.of(lock), FencingToken.of(token));
    }

    static Condition<Integer> refusal() {
        return new Condition<>(status -> status == 412 || status == 400, "412, or 400 from the container");
    }
}
