package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fenceline.cli.output.ExitCode;
import io.fenceline.testkit.net.FaultProxy;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that is there, and an address that is wrong in one part: each has its exit code, and a message that names the cause at once. */
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
class MisaddressedStoreIT {

    @Parameter
    private StoreKind kind;

    @TempDir
    private Path folder;

    /** Whose certificate was shown to a server that asked for one. */
    private final CompletableFuture<String> shown = new CompletableFuture<>();

    private TestStore store;

    @BeforeEach
    void open() {
        store = kind.open(folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    /** Without {@code -n} and {@code -w}: a mistake must not be waited for. */
    private static CommandRun exec(String uri) {
        return CommandRun.of(Map.of("FENCELINE_BACKEND", uri), "", "exec", "k", "--", "true");
    }

    private static CommandRun execOnce(String uri) {
        return CommandRun.of(Map.of("FENCELINE_BACKEND", uri), "", "exec", "-n", "k", "--", "true");
    }

    private static void assertFails(CommandRun run, int exitCode, String cause) {
        assertThat(run.err()).contains(cause).hasLineCount(1).doesNotContain("internal error");
        assertThat(run.exitCode()).isEqualTo(exitCode);
    }

    @Test
    void isToldThatAPasswordIsMissing() {
        assertFails(
                exec(store.uri().replace(":" + StoreKind.PASSWORD, "")), ExitCode.STORE_REFUSED, "requires a password");
    }

    @Test
    void isToldThatThePasswordIsWrong() {
        assertFails(exec(store.uri().replace(StoreKind.PASSWORD, "wr0ng")), ExitCode.STORE_REFUSED, "password");
    }

    @Test
    void isToldThatThereIsNoSuchDatabase() {
        switch (kind) {
            case REDIS ->
                assertFails(exec(store.uri() + "/99"), ExitCode.STORE_MISCONFIGURED, "no database of that number");
            // MariaDB tells a user without rights on other databases only that.
            case MARIADB -> assertFails(exec(store.uri() + "x"), ExitCode.STORE_REFUSED, "or it does not exist");
            default ->
                assertFails(exec(store.uri() + "x"), ExitCode.STORE_MISCONFIGURED, "the database does not exist");
        }
    }

    @Test
    void isToldThatTheHostIsUnknown() {
        assertFails(
                execOnce(store.uri().replace("127.0.0.1", "no-such-host.invalid")),
                ExitCode.UNKNOWN_HOST,
                "host is unknown");
    }

    @Test
    void isToldThatNobodyListensOnThePort() {
        try (FaultProxy proxy = FaultProxy.to("127.0.0.1", 1)) {
            proxy.refuse();
            assertFails(
                    execOnce(store.uri().replaceAll("127.0.0.1:\\d+", "127.0.0.1:" + proxy.port())),
                    ExitCode.STORE_UNAVAILABLE,
                    "cannot be reached");
        }
    }

    @Test
    void isToldThatAnotherProgramListensThere() throws IOException {
        try (ServerSocket ssh = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            Thread greeting = new Thread(() -> greet(ssh), "ssh");
            greeting.start();
            assertFails(
                    execOnce(store.uri().replaceAll("127.0.0.1:\\d+", "127.0.0.1:" + ssh.getLocalPort())),
                    ExitCode.STORE_UNAVAILABLE,
                    "what listens there does not answer as");
        }
    }

    /** Greets clients as an SSH server does, until the socket is closed. Only MariaDB's driver waits for that. */
    private void greet(ServerSocket ssh) {
        while (!ssh.isClosed()) {
            try (Socket client = ssh.accept()) {
                if (kind != StoreKind.MARIADB) {
                    client.getInputStream().read();
                }
                client.getOutputStream().write("SSH-2.0-OpenSSH_9.2\r\n".getBytes(StandardCharsets.US_ASCII));
                client.shutdownOutput();
                client.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // the client has gone, or the test has ended
            }
        }
    }

    /** As PostgreSQL does where a client of Redis connects. */
    @Test
    void isToldThatAServerOfAnotherKindClosesItsConnections() throws IOException {
        assumeTrue(kind == StoreKind.REDIS, "the other drivers' greetings are not tried here");
        try (ServerSocket other = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            Thread closing = new Thread(() -> close(other), "other-server");
            closing.start();
            assertFails(
                    execOnce("redis://127.0.0.1:" + other.getLocalPort()),
                    ExitCode.STORE_UNAVAILABLE,
                    "what listens there does not answer as Redis does, and ends connections; check host and port");
        }
    }

    /** Closes each connection once its client has sent something, until the socket is closed. */
    private static void close(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                client.getInputStream().read();
                client.shutdownOutput();
                client.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // the client has gone, or the test has ended
            }
        }
    }

    @Test
    void isToldThatTheServerSpeaksNoTls() {
        String uri = switch (kind) {
            case REDIS -> store.uri().replace("redis:", "rediss:");
            case MARIADB -> store.uri() + "?sslMode=trust";
            default -> store.uri() + "?sslmode=require";
        };
        assertFails(exec(uri), ExitCode.STORE_MISCONFIGURED, "TLS");
    }

    @Test
    void isToldThatTheCertificateIsNotTrusted() throws Exception {
        assumeTrue(kind != StoreKind.MARIADB, "its driver greets last");
        String trusting = switch (kind) {
            case REDIS -> "rediss://127.0.0.1:%d";
            default ->
                "postgresql://app:secret@127.0.0.1:%d/app?sslmode=verify-ca"
                        + "&sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory";
        };
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            SSLSocketFactory tls = selfSigned();
            Thread greeting = new Thread(() -> greetWithTls(server, tls, false), "tls");
            greeting.start();
            assertFails(
                    exec(trusting.formatted(server.getLocalPort())),
                    ExitCode.STORE_MISCONFIGURED,
                    kind == StoreKind.REDIS
                            ? "no TLS connection is agreed on (PKIX"
                            : "TLS certificate is not accepted");
            if (kind == StoreKind.POSTGRESQL) {
                assertFails(
                        exec("postgresql://app:secret@127.0.0.1:" + server.getLocalPort()
                                + "/app?sslmode=verify-full&sslrootcert=/no-such-file"),
                        ExitCode.STORE_MISCONFIGURED,
                        "see sslrootcert");
            }
        }
    }

    @Test
    void showsTheCertificateOfTheJvmToAServerThatAsks() throws Exception {
        assumeTrue(kind == StoreKind.REDIS, "the drivers of databases have parameters for it");
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            SSLSocketFactory tls = selfSigned();
            Thread greeting = new Thread(() -> greetWithTls(server, tls, true), "tls");
            greeting.start();
            String uri = "rediss://127.0.0.1:" + server.getLocalPort();
            String trusting = options("trustStore");

            try (FencelineProcess without = startWith(uri, trusting)) {
                assertFails(without.end(), ExitCode.STORE_MISCONFIGURED, "to show from -Djavax.net.ssl.keyStore=FILE");
            }
            assertThat(shown).isNotCompleted();
            try (FencelineProcess with = startWith(uri, trusting + " " + options("keyStore"))) {
                with.end(); // nobody answers as Redis does
            }
            assertThat(shown).isCompletedWithValue("CN=localhost");
        }
    }

    @Test
    void isToldThatTheKeyStoreOfTheJvmCannotBeRead() throws IOException {
        assumeTrue(kind == StoreKind.REDIS, "the drivers of databases have parameters for it");
        Path pem = Files.writeString(folder.resolve("key.pem"), "-----BEGIN PRIVATE KEY-----");
        for (String file : List.of(pem.toString(), "/no-such-file")) {
            String options = "-Djavax.net.ssl.keyStore=" + file;
            try (FencelineProcess tls = startWith(store.uri().replace("redis:", "rediss:"), options)) {
                assertFails(tls.end(), ExitCode.STORE_MISCONFIGURED, "the key store of " + options + " cannot be read");
            }
            try (FencelineProcess plain = startWith(store.uri(), options)) {
                assertThat(plain.end().exitCode()).isZero();
            }
        }
    }

    private String options(String store) {
        return "-Djavax.net.ssl." + store + "=" + folder.resolve("keys.p12") + " -Djavax.net.ssl." + store
                + "Password=secret";
    }

    private static FencelineProcess startWith(String uri, String options) {
        return FencelineProcess.start(
                Map.of("FENCELINE_BACKEND", uri, "FENCELINE_JAVA_OPTS", options), "exec", "-n", "k", "--", "true");
    }

    private SSLSocketFactory selfSigned() throws Exception {
        Path keys = folder.resolve("keys.p12");
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        Process make = new ProcessBuilder(
                        keytool,
                        "-genkeypair",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-alias",
                        "a",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=localhost",
                        "-storepass",
                        "secret",
                        "-keystore",
                        keys.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(make.waitFor()).isZero();
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(KeyStore.getInstance(keys.toFile(), "secret".toCharArray()), "secret".toCharArray());
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(KeyStore.getInstance(keys.toFile(), "secret".toCharArray()));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), trusted.getTrustManagers(), null);
        return context.getSocketFactory();
    }

    /** Offers TLS as the kind of server does, until the socket is closed. */
    private void greetWithTls(ServerSocket server, SSLSocketFactory tls, boolean asks) {
        while (!server.isClosed()) {
            try (Socket client = server.accept()) {
                if (kind == StoreKind.POSTGRESQL) {
                    client.getInputStream().readNBytes(8);
                    client.getOutputStream().write('S');
                }
                try (SSLSocket secured = (SSLSocket) tls.createSocket(client, null, client.getPort(), true)) {
                    secured.setUseClientMode(false);
                    secured.setNeedClientAuth(asks);
                    secured.startHandshake();
                    if (asks) {
                        shown.complete(secured.getSession().getPeerPrincipal().getName());
                    }
                }
            } catch (IOException e) {
                // the client has gone, or the test has ended
            }
        }
    }

    @Test
    void isToldThatThereIsNoSuchTlsMode() {
        assumeTrue(kind == StoreKind.POSTGRESQL, "of PostgreSQL's driver");
        assertFails(exec(store.uri() + "?sslmode=on"), ExitCode.USAGE, "sslmode is 'on', it must be one of disable");
    }
}
