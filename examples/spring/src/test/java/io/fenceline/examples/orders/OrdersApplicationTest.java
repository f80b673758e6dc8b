package io.fenceline.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** The application as it starts, through its web server. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class OrdersApplicationTest {

    private final HttpClient client = HttpClient.newHttpClient();

    @Value("${local.server.port}")
    private int port;

    @Test
    void showsItsPage() throws Exception {
        assertThat(send("GET", "/")).contains("Orders under Fenceline");
    }

    @Test
    void refusesTheCommitOfAStaleHolder() throws Exception {
        String story = send("POST", "/api/orders/1/stale");

        assertThat(story)
                .contains("which the database refuses: write to 'order:1' with token")
                .contains("Order 1 is paid, by B.")
                .doesNotContain("must not happen");
    }

    @Test
    void paysUnderALock() throws Exception {
        send("POST", "/api/orders/2/pay");

        assertThat(send("GET", "/api/board")).contains("\"paidBy\":\"this page\"");
        send("POST", "/api/orders/2/reopen");
    }

    @Test
    void makesItsReportAsTheLeader() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(send("GET", "/api/board")).contains("orders are paid"));
    }

    private String send(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }
}
