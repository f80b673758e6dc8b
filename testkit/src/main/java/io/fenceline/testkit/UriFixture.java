package io.fenceline.testkit;

import io.fenceline.Backends;
import io.fenceline.LockId;
import io.fenceline.spi.LockBackend;
import io.fenceline.spi.TokenMode;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A fixture for the backend of any URI, so that a contract runs against a store of your own:
 *
 * <pre>{@code
 * class MyStoreContractTest extends LockBackendContract {
 *     @Override
 *     protected BackendFixture newFixture() {
 *         return UriFixture.of("mystore://localhost/{}");
 *     }
 * }
 * }</pre>
 *
 * <p>Each contract needs an empty store. {@code {}} in the URI is replaced by a random name for each fixture: use it for a file, a
 * database or a key prefix. Stores are not deleted.
 *
 * <p>The tokens are those of {@link TokenMode#COUNTER}, and a restart closes all connections. Where a store differs, override the
 * method.
 */
public class UriFixture implements BackendFixture {

    private final Queue<LockBackend> opened = new ConcurrentLinkedQueue<>();
    private final String uri;

    /**
     * Creates the fixture.
     *
     * @param uri a URI for {@link Backends#open}, in which {@code {}} stands for a random name
     */
    protected UriFixture(String uri) {
        this.uri = uri.replace("{}", "test" + LockId.random().text().replaceAll("\\W", "x"));
    }

    /**
     * Returns a fixture for a URI.
     *
     * @param uri a URI for {@link Backends#open}, in which {@code {}} stands for a random name
     * @return the fixture
     */
    public static UriFixture of(String uri) {
        return new UriFixture(uri);
    }

    @Override
    public LockBackend open() {
        LockBackend backend = Backends.open(uri);
        opened.add(backend);
        return backend;
    }

    @Override
    public TokenMode tokenMode() {
        return TokenMode.COUNTER;
    }

    @Override
    public void restart() {
        opened.forEach(LockBackend::close);
        opened.clear();
    }

    @Override
    public void close() {
        restart();
    }
}
