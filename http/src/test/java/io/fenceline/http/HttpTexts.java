package io.fenceline.http;

import io.fenceline.guard.MemoryFenceGuard;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/** Texts by name. Writes as it is told, or under its own guard. */
final class HttpTexts extends HttpServlet {

    private final transient Map<String, String> texts;
    private final transient Optional<MemoryFenceGuard> guard;

    HttpTexts(Map<String, String> texts, Optional<MemoryFenceGuard> guard) {
        this.texts = texts;
        this.guard = guard;
    }

    /** Named by the query: paths cannot carry every name. */
    static String name(HttpServletRequest request) {
        return request.getParameter("name");
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String text = texts.get(name(request));
        if (text == null) {
            response.setStatus(404);
        } else {
            response.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Override
    protected void doPut(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        String text = new String(request.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        write(request, () -> texts.put(name(request), text));
    }

    @Override
    protected void doDelete(HttpServletRequest request, HttpServletResponse response) throws ServletException {
        write(request, () -> texts.remove(name(request)));
    }

    private void write(HttpServletRequest request, Runnable effect) throws ServletException {
        GuardedExchange exchange = GuardedExchange.of(request);
        try {
            if (guard.isPresent()) {
                guard.get().call(exchange.resource(), exchange.stamp(), () -> {
                    effect.run();
                    return "written";
                });
            } else {
                effect.run();
            }
        } catch (RuntimeException e) {
            throw new ServletException("as frameworks wrap it", e);
        }
    }
}
