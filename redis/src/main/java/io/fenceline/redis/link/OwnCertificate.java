package io.fenceline.redis.link;

import io.fenceline.BackendException;
import io.lettuce.core.SslOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;

/** The certificate that the JVM is told to show, for servers that ask for one. Netty looks only at what it trusts by itself. */
final class OwnCertificate {

    private static final String KEY_STORE = "javax.net.ssl.keyStore";

    /** The value for a key store that is not in a file, as the JDK documents it. */
    private static final String NO_FILE = "NONE";

    private OwnCertificate() {}

    /**
     * Returns options that show the certificate, if there is one.
     *
     * @throws BackendException if the key store cannot be read
     */
    static SslOptions ofJvm(RedisErrors errors) {
        String file = System.getProperty(KEY_STORE, "");
        if (file.isEmpty()) {
            return SslOptions.create();
        }
        try {
            return SslOptions.builder().jdkSslProvider().keyManager(keys(file)).build();
        } catch (IOException | GeneralSecurityException e) {
            throw errors.unreadableKeys(file, e);
        }
    }

    private static KeyManagerFactory keys(String file) throws IOException, GeneralSecurityException {
        char[] password = System.getProperty(KEY_STORE + "Password", "").toCharArray();
        String type = System.getProperty(KEY_STORE + "Type", KeyStore.getDefaultType());
        String provider = System.getProperty(KEY_STORE + "Provider", "");
        KeyStore store = provider.isEmpty() ? KeyStore.getInstance(type) : KeyStore.getInstance(type, provider);
        if (file.equals(NO_FILE)) {
            store.load(null, password);
        } else {
            try (InputStream in = Files.newInputStream(Path.of(file))) {
                store.load(in, password);
            }
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        return keys;
    }
}
