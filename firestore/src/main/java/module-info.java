/** Fenceline on Cloud Firestore. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Google's client has no module descriptors.
module io.fenceline.firestore {
    requires static org.jspecify;
    requires transitive io.fenceline.core;
    requires transitive google.cloud.firestore;
    requires google.cloud.core;
    requires gax;
    requires com.google.api.apicommon;
    requires com.google.protobuf;
    requires io.grpc;

    exports io.fenceline.firestore;

    provides io.fenceline.spi.BackendProvider with
            io.fenceline.firestore.FirestoreBackendProvider;
}
