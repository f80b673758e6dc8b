package io.fenceline.testkit.net;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** A server that answers each line with the same line, behind a proxy. */
@Timeout(60)
abstract class ProxiedEcho {

    EchoServer server;
    FaultProxy proxy;

    @BeforeEach
    void start() throws IOException {
        server = new EchoServer();
        proxy = FaultProxy.to("127.0.0.1", server.port());
    }

    @AfterEach
    void stop() {
        proxy.close();
        server.close();
    }
}
