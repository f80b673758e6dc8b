package io.fenceline.firestore;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import io.fenceline.LockId;
import io.fenceline.servers.FirestoreEmulator;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The database that the tests use: that of the project which {@value #PROJECT_VARIABLE} names, else that of an emulator. One for
 * the JVM; each test has collections of its own in it.
 *
 * @param project the project, with {@code /DATABASE} where it is not the default one
 * @param emulator the emulator, or empty for a real project
 */
record TestStore(String project, Optional<FirestoreEmulator> emulator) {

    static final String PROJECT_VARIABLE = "FENCELINE_FIRESTORE_PROJECT";

    static Optional<TestStore> find() {
        return Found.STORE;
    }

    static TestStore get() {
        return find().orElseThrow();
    }

    static String places() {
        return "environment variable " + PROJECT_VARIABLE + " (a real project), " + FirestoreEmulator.places();
    }

    /** Collections that no other test uses. */
    static String freshPrefix() {
        return "t" + LockId.random().text();
    }

    boolean isReal() {
        return emulator.isEmpty();
    }

    String host() {
        return emulator.orElseThrow().host();
    }

    String uri(String prefix) {
        return emulator.map(server -> uri(server.host(), prefix))
                .orElseGet(() -> "firestore://" + project + "?prefix=" + prefix);
    }

    String uri(String host, String prefix) {
        return "firestore://" + project + "?prefix=" + prefix + "&emulator=" + host;
    }

    /** One of two clients that all tests share, in turn, since a client of its own costs each handle a connection. */
    static Firestore sharedClient() {
        return Shared.CLIENTS.get(Shared.NEXT.getAndIncrement() % Shared.CLIENTS.size());
    }

    /** A client as users make one. */
    Firestore client() {
        return FirestoreAddress.parse(uri("unused")).client(Duration.ofSeconds(20));
    }

    /** Removes what a test left in a real project. */
    static void remove(String prefix) {
        Firestore client = get().client();
        try {
            for (CollectionReference collection : client.listCollections()) {
                if (collection.getId().startsWith(prefix)) {
                    client.recursiveDelete(collection).get(1, TimeUnit.MINUTES);
                }
            }
        } catch (Exception e) {
            throw new IllegalStateException("cannot remove the collections " + prefix + "_…", e);
        } finally {
            client.shutdown();
        }
    }

    @Override
    public String toString() {
        return uri("PREFIX");
    }

    private static final class Shared {

        static final List<Firestore> CLIENTS = List.of(get().client(), get().client());
        static final AtomicInteger NEXT = new AtomicInteger();
    }

    private static final class Found {

        static final Optional<TestStore> STORE = look();

        private static Optional<TestStore> look() {
            String project = System.getenv(PROJECT_VARIABLE);
            return project != null && !project.isEmpty()
                    ? Optional.of(new TestStore(project, Optional.empty()))
                    : FirestoreEmulator.find().map(emulator -> new TestStore("fenceline-test", Optional.of(emulator)));
        }
    }
}
