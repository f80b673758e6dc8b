package io.fenceline.firestore;

import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.api.gax.retrying.RetrySettings;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Answers the commits that a client sends otherwise than the emulator does, also those that the client repeats by itself. */
final class CommitFaults implements ClientInterceptor, AutoCloseable {

    /**
     * What becomes of a commit.
     *
     * @param arrives whether the store gets it
     * @param told what the client is told in place of the store's answer; null for that answer
     * @param meanwhile what happens before the client is told
     */
    record Fault(boolean arrives, Status.@Nullable Code told, Runnable meanwhile) {

        static Fault lost(Status.Code told) {
            return lost(told, () -> {});
        }

        static Fault lost(Status.Code told, Runnable meanwhile) {
            return new Fault(true, told, meanwhile);
        }

        static Fault refused(Status.Code told) {
            return new Fault(false, told, () -> {});
        }

        static Fault none() {
            return new Fault(true, null, () -> {});
        }
    }

    private final AtomicInteger commits = new AtomicInteger();
    private final List<Fault> faults;
    private final boolean readsFailAfterwards;
    private final Firestore client;

    /**
     * Makes a client.
     *
     * @param faults those of the first commits; the last is that of all later ones too
     * @param readsFailAfterwards whether no read succeeds once a commit was sent
     */
    CommitFaults(boolean readsFailAfterwards, List<Fault> faults) {
        this.faults = faults;
        this.readsFailAfterwards = readsFailAfterwards;
        this.client = FirestoreOptions.newBuilder()
                .setProjectId("fenceline-test")
                .setCredentials(new FirestoreOptions.EmulatorCredentials())
                .setChannelProvider(InstantiatingGrpcChannelProvider.newBuilder()
                        .setEndpoint(TestStore.get().host())
                        .setChannelConfigurator(channel -> channel.usePlaintext())
                        .setInterceptorProvider(() -> List.of(this))
                        .build())
                .setRetrySettings(RetrySettings.newBuilder()
                        .setInitialRetryDelayDuration(Duration.ofMillis(1))
                        .setMaxRetryDelayDuration(Duration.ofMillis(1))
                        .setTotalTimeoutDuration(Duration.ofSeconds(20))
                        .setInitialRpcTimeoutDuration(Duration.ofSeconds(20))
                        .setMaxRpcTimeoutDuration(Duration.ofSeconds(20))
                        .setMaxAttempts(3)
                        .build())
                .build()
                .getService();
    }

    Firestore client() {
        return client;
    }

    int commits() {
        return commits.get();
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        String name = String.valueOf(method.getBareMethodName());
        if (name.equals("Commit")) {
            Fault fault = faults.get(Math.min(commits.getAndIncrement(), faults.size() - 1));
            return new Answered<>(next.newCall(method, options), fault);
        }
        return new Answered<>(
                next.newCall(method, options),
                readsFailAfterwards && commits.get() > 0 ? Fault.refused(Status.Code.PERMISSION_DENIED) : Fault.none());
    }

    @Override
    public void close() {
        client.shutdown();
    }

    private static final class Answered<Q, A> extends SimpleForwardingClientCall<Q, A> {

        private final Fault fault;

        Answered(ClientCall<Q, A> call, Fault fault) {
            super(call);
            this.fault = fault;
        }

        @Override
        public void start(Listener<A> listener, Metadata headers) {
            Status.Code told = fault.told();
            if (told == null) {
                super.start(listener, headers);
                return;
            }
            super.start(
                    new SimpleForwardingClientCallListener<>(listener) {
                        @Override
                        public void onMessage(A answer) {}

                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            fault.meanwhile().run();
                            super.onClose(told.toStatus().withDescription("told by the test"), trailers);
                        }
                    },
                    headers);
            if (!fault.arrives()) {
                cancel("not to arrive", null);
            }
        }

        @Override
        public void sendMessage(Q message) {
            if (fault.arrives()) {
                super.sendMessage(message);
            }
        }

        @Override
        public void halfClose() {
            if (fault.arrives()) {
                super.halfClose();
            }
        }
    }
}
