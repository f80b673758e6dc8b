package io.fenceline.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.FenceRule;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.StaleTokenException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Handlers behind the filter that fail, guard themselves, are asynchronous, or do not read the request. */
class FenceFilterHandlersTest extends FilteredServer {

    @Test
    @Tag("R2")
    void countsNoWriteIfTheHandlerFailed() throws Exception {
        MemoryFenceGuard once = new MemoryFenceGuard(FenceRule.ONCE);
        server = start(FenceFilter.guarding(once, FencedEndpoints.defaults()), (request, response) -> {
            handled.add("try");
            switch (handled.size()) {
                case 1 -> response.sendError(503);
                case 2 -> throw new IOException("disk full");
                case 3 -> response.setStatus(400);
                default -> response.setStatus(201);
            }
        });

        assertThat(send("POST", "/payments/7", stamp(34)).statusCode()).isEqualTo(503);
        assertThat(send("POST", "/payments/7", stamp(34)).statusCode()).isEqualTo(500);
        assertThat(send("POST", "/payments/7", stamp(34)).statusCode()).isEqualTo(400);
        assertThat(send("POST", "/payments/7", stamp(34)).statusCode()).isEqualTo(201);
        assertThat(send("POST", "/payments/7", stamp(34)).statusCode()).isEqualTo(412);
        assertThat(handled).hasSize(4);
    }

    @Test
    @Tag("R3")
    void letsNoHandlerThatItGuardsGoOnAfterTheGuard() throws Exception {
        List<String> refusal = new CopyOnWriteArrayList<>();
        server = start(FenceFilter.guarding(guard, FencedEndpoints.defaults()), (request, response) -> {
            try {
                request.startAsync();
            } catch (IllegalStateException e) {
                refusal.add(e.getMessage());
            }
        });

        send("PUT", "/orders/42", stamp(34));

        assertThat(refusal).singleElement().asString().contains("cannot be asynchronous");
    }

    @Test
    void letsAHandlerThatGuardsItselfBeAsynchronous() throws Exception {
        server = start(FenceFilter.forGuardedHandlers(FencedEndpoints.defaults()), (request, response) -> {
            var async = request.startAsync();
            async.start(() -> {
                try {
                    GuardedExchange exchange = GuardedExchange.of(async.getRequest());
                    ProblemResponse.send(
                            (HttpServletResponse) async.getResponse(),
                            FenceProblem.of(new StaleTokenException(
                                    exchange.resource(), exchange.stamp(), FencingToken.of(99))));
                } catch (IOException e) {
                    handled.add("failed");
                } finally {
                    async.complete();
                }
            });
        });

        assertThat(send("PUT", "/orders/42", stamp(34)).statusCode()).isEqualTo(412);
        assertThat(handled).isEmpty();
    }

    @Test
    void keepsTheResourceOfARequestThatIsDispatchedToAnotherPath() throws Exception {
        server = start(FenceFilter.forGuardedHandlers(FencedEndpoints.defaults()), (request, response) -> {
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
                request.startAsync().dispatch("/views/42");
            } else {
                handled.add(GuardedExchange.of(request).resource());
            }
        });

        send("PUT", "/orders/42", stamp(34));

        assertThat(handled).containsExactly("orders/42");
    }

    /** As Spring MVC throws what the task of another thread has thrown. */
    @Test
    void answersARefusalThatIsThrownWhereTheRequestIsDispatchedAgain() throws Exception {
        server = start(FenceFilter.forGuardedHandlers(FencedEndpoints.defaults()), (request, response) -> {
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
                request.startAsync().dispatch();
                return;
            }
            GuardedExchange exchange = GuardedExchange.of(request);
            throw new StaleTokenException(exchange.resource(), exchange.stamp(), FencingToken.of(99));
        });

        assertThat(send("PUT", "/orders/42", stamp(34)).statusCode()).isEqualTo(412);
    }

    @Test
    void replacesAnAnswerThatIsNotSentYetAndBreaksOneThatIs() throws Exception {
        server = start(FenceFilter.forGuardedHandlers(FencedEndpoints.defaults()), (request, response) -> {
            response.getWriter().write("all is well");
            if (request.getPathInfo().equals("/sent")) {
                response.flushBuffer();
            }
            GuardedExchange exchange = GuardedExchange.of(request);
            throw new ServletException(
                    new StaleTokenException(exchange.resource(), exchange.stamp(), FencingToken.of(99)));
        });

        HttpResponse<String> replaced = send("PUT", "/prepared", stamp(34));
        assertThat(replaced.statusCode()).isEqualTo(412);
        assertThat(replaced.body()).startsWith("{\"type\":").doesNotContain("all is well");
        assertThat(catchThrowable(() -> send("PUT", "/sent", stamp(34)))).isInstanceOf(IOException.class);
    }

    /** The client's stamp is not to blame, and to repeat the request can help. */
    @Test
    void tellsNoClientThatTheHandlersOwnLeaseIsLost() throws Exception {
        AtomicReference<FenceStamp> workers =
                new AtomicReference<>(new FenceStamp(LockKey.of("worker"), FencingToken.of(8)));
        server = start(FenceFilter.forGuardedHandlers(FencedEndpoints.defaults()), (request, response) -> {
            throw new StaleTokenException("reports", workers.get(), FencingToken.of(99));
        });

        assertThat(send("PUT", "/orders/42", stamp(34)).statusCode()).isEqualTo(500);
        assertThat(send("GET", "/orders/42", stamp(34)).statusCode()).isEqualTo(500);
        workers.set(stamp(35)); // another lease of the same lock
        assertThat(send("PUT", "/orders/42", stamp(34)).statusCode()).isEqualTo(500);
    }

    @Test
    void tellsNoClientThatTheHandlerHasShownNoStamp() throws Exception {
        server = start(FenceFilter.forGuardedHandlers(FencedEndpoints.defaults()), (request, response) -> {
            throw new MissingTokenException("order/42", "give the session the stamp of its lease");
        });

        assertThat(send("PUT", "/orders/42", stamp(34)).statusCode()).isEqualTo(500);
        assertThat(send("GET", "/orders/42").statusCode()).isEqualTo(500);
        assertThat(send("PUT", "/orders/42").statusCode()).isEqualTo(428);
    }

    @Test
    void saysThatTheConnectionEndsWhenItRefusesARequestWhoseBodyHasNotArrived() throws Exception {
        guard.claim("orders/42", stamp(34));
        URI address = server.at("/orders/42");
        String head = "PUT " + address.getPath() + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
                + FenceHeaders.LOCK + ": order:42\r\n" + FenceHeaders.TOKEN + ": 000000000000033\r\n\r\n";

        try (Socket client = new Socket(address.getHost(), address.getPort())) {
            client.setSoTimeout(20_000);
            client.getOutputStream().write(head.getBytes(US_ASCII));
            String answer = new String(client.getInputStream().readAllBytes(), US_ASCII);

            assertThat(answer)
                    .startsWith("HTTP/1.1 412 ")
                    .containsIgnoringCase("\r\nConnection: close\r\n")
                    .contains("stale-token");
        }
    }
}
