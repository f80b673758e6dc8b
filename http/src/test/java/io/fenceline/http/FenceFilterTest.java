package io.fenceline.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.guard.FenceHeaders;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What goes over the wire, seen with a plain client. */
class FenceFilterTest extends FilteredServer {

    @Test
    @Tag("R1")
    void answers412WithBothTokensToAStaleWriter() throws Exception {
        guard.claim("orders/42", stamp(34));

        HttpResponse<String> response = send("PUT", "/orders/42", stamp(33));

        assertThat(response.statusCode()).isEqualTo(412);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        assertThat(response.body())
                .isEqualTo("{\"type\":\"tag:fenceline.io,2026:stale-token\",\"title\":\"A newer holder has written\","
                        + "\"status\":412,\"detail\":\"write to 'orders/42' with token 000000000000033 of lock 'order:42' is"
                        + " refused: the resource has seen token 000000000000034, so another holder is at work\","
                        + "\"resource\":\"orders/42\",\"lock\":\"order:42\",\"presented\":\"000000000000033\","
                        + "\"highest\":\"000000000000034\"}");
        assertThat(handled).isEmpty();
    }

    @Test
    @Tag("R8")
    void answers428ToAWriterWithoutAStamp() throws Exception {
        for (String method : List.of("PUT", "POST", "PATCH", "DELETE", "MKCOL")) {
            HttpResponse<String> response = send(method, "/orders/42");
            assertThat(response.statusCode()).as(method).isEqualTo(428);
            assertThat(response.body()).contains("missing-token").contains("Fenceline-Token");
        }
        assertThat(handled).isEmpty();
    }

    @Test
    @Tag("R7")
    void answers409ToAHolderOfAnotherLock() throws Exception {
        guard.claim("orders/42", stamp(34));

        HttpResponse<String> write = send("PUT", "/orders/42", stamp("ware:1", 99));
        HttpResponse<String> claim = send("PUT", "/orders/42/fence", stamp("ware:1", 99));

        assertThat(write.statusCode()).isEqualTo(409);
        assertThat(write.body()).contains("foreign-lock").contains("\"owner\":\"order:42\"");
        assertThat(claim.statusCode()).isEqualTo(409);
        assertThat(handled).isEmpty();
    }

    @Test
    @Tag("R4")
    void takesAClaimAndAnswers409ToALaterOneOfAnOlderHolder() throws Exception {
        assertThat(send("PUT", "/orders/42/fence", stamp(34)).statusCode()).isEqualTo(204);

        HttpResponse<String> refused = send("PUT", "/orders/42/fence", stamp(33));

        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(refused.body()).contains("stale-token").contains("\"status\":409");
        assertThat(send("PUT", "/orders/42/fence").statusCode()).isEqualTo(428);
        assertThat(send("PUT", "/orders/42", stamp(33)).statusCode()).isEqualTo(412);
        assertThat(send("PUT", "/orders/42", stamp(34)).statusCode()).isEqualTo(200);
        assertThat(handled).containsExactly("PUT /orders/42");
    }

    @Test
    void tellsTheGreatestStampToAnybodyWhoLooks() throws Exception {
        HttpResponse<String> never = send("GET", "/orders/42/fence");
        guard.claim("orders/42", stamp(34));
        HttpResponse<String> fenced = send("GET", "/orders/42/fence");

        assertThat(never.statusCode()).isEqualTo(204);
        assertThat(FenceHeaders.readAll(never.headers().map())).isEmpty();
        assertThat(fenced.statusCode()).isEqualTo(204);
        assertThat(FenceHeaders.readAll(fenced.headers().map())).contains(stamp(34));
        assertThat(send("DELETE", "/orders/42/fence", stamp(35)).statusCode()).isEqualTo(405);
        assertThat(send("OPTIONS", "/orders/42/fence").headers().firstValue("Allow"))
                .contains("GET, HEAD, OPTIONS, PUT");
        assertThat(handled).isEmpty();
    }

    @Test
    void answers400ToAStampThatCannotBeRead() throws Exception {
        HttpResponse<String> half = sent(request("PUT", "/orders/42").header(FenceHeaders.TOKEN, "000000000000034"));
        HttpResponse<String> twice = sent(FencedRequests.stamp(request("PUT", "/orders/42"), stamp(34))
                .header(FenceHeaders.TOKEN, "000000000000035"));
        HttpResponse<String> garbled = sent(FencedRequests.stamp(request("PUT", "/orders/42/fence"), stamp(34))
                .setHeader(FenceHeaders.TOKEN, "34"));

        for (HttpResponse<String> response : List.of(half, twice, garbled)) {
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(response.body()).contains("malformed-stamp").contains("\"header\":\"Fenceline-");
        }
        assertThat(garbled.body()).contains("\"value\":\"34\"");
        assertThat(guard.highest("orders/42")).isEmpty();
        assertThat(handled).isEmpty();
    }

    @Test
    void answers400IfTheRequestNamesNoResource() throws Exception {
        HttpResponse<String> response = send("PUT", "/" + "x".repeat(600), stamp(34));

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("unnamed-resource").contains("512");
    }

    @Test
    void asksNoStampOfThoseWhoReadOnly() throws Exception {
        for (String method : List.of("GET", "HEAD", "OPTIONS")) {
            assertThat(send(method, "/orders/42").statusCode()).as(method).isEqualTo(200);
        }
        assertThat(handled).containsExactly("GET /orders/42", "HEAD /orders/42", "OPTIONS /orders/42");
    }

    @Test
    @Tag("R8")
    void isNotPassedByOnAnotherSpellingOfThePath() throws Exception {
        guard.claim("orders/42", stamp(34));

        for (String spelling :
                List.of("/orders/42/", "/orders/42;x=1", "/orders/%34%32", "/x/../orders/42", "/orders/./42")) {
            assertThat(send("PUT", spelling, stamp(33)).statusCode())
                    .as(spelling)
                    .is(refusal());
        }
        for (String spelling : List.of("/orders//42", "/orders%2f42")) {
            assertThat(send("PUT", spelling, stamp(33)).statusCode())
                    .as(spelling)
                    .is(refusal());
        }
        assertThat(handled).isEmpty();
    }

    @Test
    void fencesTheMethodsAndPathsThatItIsTold() throws Exception {
        server = start(
                FenceFilter.guarding(
                        guard,
                        FencedEndpoints.defaults()
                                .withMethods("PUT")
                                .under("/orders")
                                .withFenceAt("/_fence")),
                this::note);

        assertThat(send("PUT", "/orders").statusCode()).isEqualTo(428);
        assertThat(send("PUT", "/orders/42").statusCode()).isEqualTo(428);
        assertThat(send("POST", "/orders/42").statusCode()).isEqualTo(200);
        assertThat(send("PUT", "/orders2/42").statusCode()).isEqualTo(200);
        assertThat(send("PUT", "/orders/42/_fence", stamp(34)).statusCode()).isEqualTo(204);
        assertThat(guard.highest("orders/42")).contains(stamp(34));
        assertThat(send("PUT", "/wares/1/_fence", stamp(34)).statusCode()).isEqualTo(200);
        assertThat(guard.highest("wares/1")).isEmpty();
    }

    @Test
    void refusesMethodsAndPathsThatWouldFenceNothing() {
        FencedEndpoints endpoints = FencedEndpoints.defaults();
        for (String pattern : List.of("/orders/**", "/orders/*", "/**", "/orders/{id}", "/orders?")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> endpoints.under("/wares", pattern))
                    .withMessageContaining("'" + pattern + "'");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> endpoints.withMethods("PUT", "patch"))
                .withMessageContaining("'patch'");
    }

    @Test
    @Tag("R3")
    void letsOneWriterAtATimeToAResource() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        server = start(FenceFilter.guarding(guard, FencedEndpoints.defaults()), (request, response) -> {
            handled.add("begin " + GuardedExchange.of(request).stamp().token().value());
            if (handled.size() == 1) {
                inside.countDown();
                await(leave);
            }
            handled.add("end " + GuardedExchange.of(request).stamp().token().value());
        });

        var old = CLIENT.sendAsync(stamped("PUT", "/orders/42", stamp(33)), BodyHandlers.ofString());
        assertThat(inside.await(20, TimeUnit.SECONDS)).isTrue();
        var claim = CLIENT.sendAsync(stamped("PUT", "/orders/42/fence", stamp(34)), BodyHandlers.ofString());
        var other = send("PUT", "/orders/43", stamp(1));
        assertThat(other.statusCode()).isEqualTo(200);
        assertThat(claim).isNotDone();
        leave.countDown();

        assertThat(old.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
        assertThat(claim.get(20, TimeUnit.SECONDS).statusCode()).isEqualTo(204);
        assertThat(send("PUT", "/orders/42", stamp(33)).statusCode()).isEqualTo(412);
        assertThat(handled).containsExactly("begin 33", "begin 1", "end 1", "end 33");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
