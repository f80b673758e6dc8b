package io.fenceline.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.impl.LongStringHelper;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.MalformedStampException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.batch.MessageBatch;
import org.springframework.amqp.rabbit.batch.SimpleBatchingStrategy;

class StampedDeliveriesTest {

    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("invoice:42"), FencingToken.of(34));

    @Test
    void areReadFromTheTextsOfABroker() {
        Map<String, Object> headers = new HashMap<>();
        FenceHeaders.inject(STAMP, (name, value) -> headers.put(name, LongStringHelper.asLongString(value)));

        assertThat(StampedDeliveries.read(headers)).contains(STAMP);
    }

    @Test
    void mayBeAbsent() {
        assertThat(StampedDeliveries.read(null)).isEmpty();
        assertThat(StampedDeliveries.read(Map.of("other", 1))).isEmpty();
    }

    @Test
    void areErrorsIfHalfOrEmpty() {
        Map<String, Object> headers = new HashMap<>(FenceHeaders.of(STAMP));
        headers.put(FenceHeaders.TOKEN, null);

        assertThatThrownBy(() -> StampedDeliveries.read(headers))
                .isInstanceOf(MalformedStampException.class)
                .hasMessageContaining("is empty");
        headers.remove(FenceHeaders.TOKEN);
        assertThatThrownBy(() -> StampedDeliveries.read(headers)).hasMessageContaining("is absent");
    }

    /** Each message of a batch arrives with the headers of the first one. */
    @Test
    void areRefusedInABatch() {
        SimpleBatchingStrategy batches = new SimpleBatchingStrategy(2, 10_000, 1_000);
        batches.addToBatch("", "payments", message(STAMP));
        FenceStamp other = new FenceStamp(LockKey.of("invoice:7"), FencingToken.of(1));
        MessageBatch batch = Objects.requireNonNull(batches.addToBatch("", "payments", message(other)));
        List<Message> received = new ArrayList<>();
        batches.deBatch(batch.message(), received::add);

        assertThat(received)
                .hasSize(2)
                .allSatisfy(message -> assertThatThrownBy(() -> StampedDeliveries.read(
                                message.getMessageProperties().getHeaders()))
                        .isInstanceOf(MalformedStampException.class)
                        .hasMessageContaining("first message of a batch"));
    }

    private static Message message(FenceStamp stamp) {
        return new StampingPostProcessor(stamp).postProcessMessage(new Message(new byte[1], new MessageProperties()));
    }
}
