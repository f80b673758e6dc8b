package io.fenceline.firestore;

import io.fenceline.spi.BackendProvider;
import io.fenceline.spi.LockBackend;
import java.util.Set;

/**
 * Opens Cloud Firestore by URI: {@code firestore://PROJECT} for a project's default database, {@code
 * firestore://PROJECT/DATABASE} for another; with {@code ?prefix=NAME} for collections of another name, and {@code
 * ?emulator=HOST:PORT} for an emulator; with {@code
 * ?layout=syncguard} for the documents of SyncGuard, in the collections {@code &locks=NAME} and {@code &fences=NAME}.
 *
 * <p>Credentials are those that Google's client finds: {@code GOOGLE_APPLICATION_CREDENTIALS}, the login of {@code gcloud}, or the
 * account of the machine. It also goes to the emulator that {@code FIRESTORE_EMULATOR_HOST} names.
 */
public final class FirestoreBackendProvider implements BackendProvider {

    /** Creates the provider; called by {@link java.util.ServiceLoader}. */
    public FirestoreBackendProvider() {}

    @Override
    public Set<String> schemes() {
        return Set.of(FirestoreAddress.SCHEME);
    }

    @Override
    public String usage() {
        return "firestore://PROJECT[/DATABASE]";
    }

    @Override
    public LockBackend open(String uri) {
        return FirestoreLockBackend.open(uri, FirestoreLockOptions.defaults());
    }
}
