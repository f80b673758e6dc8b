package io.fenceline.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.impl.LongStringHelper;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.MalformedStampException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
}
