package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fenceline.BackendException;
import io.fenceline.Backends;
import io.fenceline.ErrorCode;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.servers.PostgresServer;
import io.fenceline.spi.AcquireRequest;
import io.fenceline.spi.Acquisition.Granted;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.ReleaseSignals;
import io.fenceline.spi.ReleaseSignals.Signal;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A store that is opened by its URI with encryption, signals on their own kind of socket included. */
@Timeout(120)
class PostgresTlsTest {

    private static final LockKey KEY = LockKey.of("invoice:42");
    private static final String PASSWORD = "test-only";

    @TempDir
    Path folder;

    @Test
    void locksAndSignalsAreEncrypted() throws Exception {
        try (PostgresServer server = startWithTls();
                LockBackend backend = Backends.open(server.uri() + "&sslmode=require")) {
            BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
            backend.ability(ReleaseSignals.class).orElseThrow().subscribe(KEY, LockId.random(), heard::add);
            assertThat(heard.poll(10, TimeUnit.SECONDS)).isNotNull();

            for (int i = 0; i < 20; i++) {
                LockId id = LockId.random();
                AcquireRequest request = AcquireRequest.of(KEY, id, Duration.ofMinutes(1), Holder.of("me"));
                assertThat(backend.acquire(request)).isInstanceOf(Granted.class);
                assertThat(backend.release(KEY, id)).isTrue();
                assertThat(heard.poll(10, TimeUnit.SECONDS)).isNotNull();
            }
            server.execute(
                    "postgres",
                    "DO $$ BEGIN ASSERT (SELECT count(*) >= 2 AND bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity"
                            + " USING (pid) WHERE application_name LIKE 'fenceline%'), 'not encrypted'; END $$");
        }
    }

    @Test
    void aCertificateForAnotherHostIsAMistakeOfTheUri() throws Exception {
        try (PostgresServer server = startWithTls()) {
            String uri = server.uri() + "&sslmode=verify-full&sslrootcert=" + folder.resolve("server.crt");

            assertThatExceptionOfType(BackendException.class)
                    .isThrownBy(() -> Backends.open(uri))
                    .returns(ErrorCode.MISCONFIGURED, BackendException::code)
                    .withMessageContaining("certificate is for another host");
        }
    }

    private PostgresServer startWithTls() throws Exception {
        makeCertificate();
        return PostgresServer.start(Map.of(
                "ssl", "on",
                "ssl_cert_file", folder.resolve("server.crt").toString(),
                "ssl_key_file", folder.resolve("server.key").toString()));
    }

    private void makeCertificate() throws Exception {
        Path store = folder.resolve("server.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        writePem("server.crt", "CERTIFICATE", keys.getCertificate("server").getEncoded());
        writePem(
                "server.key",
                "PRIVATE KEY",
                keys.getKey("server", PASSWORD.toCharArray()).getEncoded());
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(folder.resolve("server.key"), PosixFilePermissions.fromString("rw-------"));
    }

    private void writePem(String file, String kind, byte[] content) throws Exception {
        String base64 = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        Files.writeString(
                folder.resolve(file), "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n");
    }
}
