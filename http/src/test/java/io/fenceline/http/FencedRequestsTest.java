package io.fenceline.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.ForeignTokenException;
import io.fenceline.guard.MalformedStampException;
import io.fenceline.guard.MissingTokenException;
import io.fenceline.guard.StaleTokenException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client against a server that answers what it is told, also what no server of ours would. */
class FencedRequestsTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("Bestellung „42“"), FencingToken.of(33));

    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void throwWhatTheGuardThrew() {
        answer(412, FenceProblem.of(new StaleTokenException("/orders/42", STAMP, FencingToken.of(34))));
        StaleTokenException stale = catchThrowableOfType(StaleTokenException.class, this::send);
        assertThat(stale.resource()).isEqualTo("/orders/42");
        assertThat(stale.presented()).isEqualTo(STAMP);
        assertThat(stale.highest()).isEqualTo(FencingToken.of(34));

        answer(409, FenceProblem.of(new ForeignTokenException("/orders/42", STAMP, LockKey.of("ware:ß"))));
        ForeignTokenException foreign = catchThrowableOfType(ForeignTokenException.class, this::send);
        assertThat(foreign.owner()).isEqualTo(LockKey.of("ware:ß"));

        answer(428, FenceProblem.of(new MissingTokenException("/orders/42", "send it")));
        assertThatThrownBy(this::send).isInstanceOf(MissingTokenException.class);

        answer(400, FenceProblem.of(new MalformedStampException(FenceHeaders.TOKEN, "34", "is no token")));
        assertThatThrownBy(this::send)
                .isInstanceOf(MalformedStampException.class)
                .hasMessageContaining("refused by the server")
                .hasMessageContaining("is no token");
    }

    @Test
    void failTheFutureWithWhatTheGuardThrew() {
        answer(412, FenceProblem.of(new StaleTokenException("/orders/42", STAMP, FencingToken.of(34))));

        assertThatThrownBy(() -> FencedRequests.sendAsync(CLIENT, request(), BodyHandlers.ofString())
                        .get())
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(StaleTokenException.class);
    }

    @Test
    void leaveEveryOtherAnswerToTheCaller() throws Exception {
        answer(200, "text/plain", "fine");
        assertThat(send().body()).isEqualTo("fine");

        answer(412, "text/html", "<p>If-Match failed</p>");
        assertThat(send().body()).isEqualTo("<p>If-Match failed</p>");

        String strange = "{\"type\":\"about:blank\",\"status\":409,\"errors\":[{\"a\":1}],\"note\":\"ß\"}";
        answer(409, FenceProblem.MEDIA_TYPE, strange);
        assertThat(send().body()).isEqualTo(strange);
        assertThat(send().statusCode()).isEqualTo(409);

        for (String broken : new String[] {"", "{", "[]", "null", "{\"type\":\"tag:fenceline.io,2026:stale-token\"}"}) {
            answer(412, FenceProblem.MEDIA_TYPE, broken);
            assertThat(send().body()).isEqualTo(broken);
        }
        answer(
                412,
                FenceProblem.MEDIA_TYPE,
                "{\"type\":\"tag:fenceline.io,2026:stale-token\",\"status\":412,\"resource\":\"r\",\"lock\":\"l\","
                        + "\"presented\":\"33\",\"highest\":\"000000000000034\"}");
        assertThat(send().statusCode()).isEqualTo(412);
    }

    @Test
    void replaceAnEarlierStamp() {
        FenceStamp later = new FenceStamp(STAMP.key(), FencingToken.of(35));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost/"));

        FencedRequests.stamp(request, STAMP);
        FencedRequests.stamp(request, later);

        assertThat(FenceHeaders.readAll(request.build().headers().map())).contains(later);
    }

    @Test
    void findTheFenceBelowTheResource() {
        assertThat(FencedRequests.highest(URI.create("https://host:8443/a%2Fb/42?tenant=7#part"))
                        .build()
                        .uri())
                .hasToString("https://host:8443/a%2Fb/42/fence?tenant=7");
        assertThat(FencedRequests.claim(URI.create("http://host/"), STAMP)
                        .build()
                        .uri())
                .hasToString("http://host/fence");
        assertThat(FencedRequests.claim(URI.create("http://host"), STAMP)
                        .build()
                        .uri())
                .hasToString("http://host/fence");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FencedRequests.highest(URI.create("/orders/42")))
                .withMessageContaining("/orders/42");
    }

    private void answer(int status, FenceProblem problem) {
        answer(status, FenceProblem.MEDIA_TYPE + ";charset=utf-8", problem.json());
    }

    private void answer(int status, String type, String body) {
        try {
            server.removeContext("/");
        } catch (IllegalArgumentException nothingYet) {
            // the first answer
        }
        server.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    private HttpRequest request() {
        URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/orders/42");
        return FencedRequests.stamp(HttpRequest.newBuilder(address), STAMP).build();
    }

    private HttpResponse<String> send() throws IOException, InterruptedException {
        return FencedRequests.send(CLIENT, request(), BodyHandlers.ofString());
    }
}
