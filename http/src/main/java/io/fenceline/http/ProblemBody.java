package io.fenceline.http;

import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;

/**
 * Body handler that detects refusals by a guard. All other bodies, also problem details of other origin, go to the caller's
 * handler.
 */
final class ProblemBody<T> implements BodyHandler<T> {

    private final BodyHandler<T> others;
    private volatile Optional<RuntimeException> refusal = Optional.empty();

    ProblemBody(BodyHandler<T> others) {
        this.others = others;
    }

    void orThrow() {
        if (refusal.isPresent()) {
            throw refusal.get();
        }
    }

    @Override
    public BodySubscriber<T> apply(ResponseInfo info) {
        // a followed redirect calls this again
        refusal = Optional.empty();
        BodySubscriber<T> subscriber = others.apply(info);
        boolean problem = info.statusCode() >= 400
                && info.headers()
                        .firstValue("Content-Type")
                        .filter(type -> type.startsWith(FenceProblem.MEDIA_TYPE))
                        .isPresent();
        return problem ? new Gathered(subscriber) : subscriber;
    }

    /** Buffers and parses problem details, and replays them to the caller's subscriber. */
    private final class Gathered implements BodySubscriber<T> {

        private final BodySubscriber<T> caller;
        private final BodySubscriber<byte[]> bytes = BodySubscribers.ofByteArray();

        Gathered(BodySubscriber<T> caller) {
            this.caller = caller;
        }

        @Override
        public CompletionStage<T> getBody() {
            return bytes.getBody().thenCompose(body -> {
                refusal = FenceProblem.parse(new String(body, StandardCharsets.UTF_8))
                        .flatMap(FenceProblem::exception);
                replay(body);
                return caller.getBody();
            });
        }

        private void replay(byte[] body) {
            caller.onSubscribe(new Flow.Subscription() {
                @Override
                public void request(long items) {}

                @Override
                public void cancel() {}
            });
            caller.onNext(List.of(ByteBuffer.wrap(body)));
            caller.onComplete();
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            bytes.onSubscribe(subscription);
        }

        @Override
        public void onNext(List<ByteBuffer> item) {
            bytes.onNext(item);
        }

        @Override
        public void onError(Throwable failure) {
            bytes.onError(failure);
        }

        @Override
        public void onComplete() {
            bytes.onComplete();
        }
    }
}
