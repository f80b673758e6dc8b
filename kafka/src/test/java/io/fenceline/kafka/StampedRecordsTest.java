package io.fenceline.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.MalformedStampException;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class StampedRecordsTest {

    private final ProducerRecord<String, String> record = new ProducerRecord<>("payments", "invoice/42", "paid");

    @Test
    void aRecordCarriesTheLastStampOnly() {
        StampedRecords.stamp(record, stamp(33));

        assertThat(StampedRecords.stamp(record, stamp(34))).isSameAs(record);
        assertThat(StampedRecords.read(record.headers())).contains(stamp(34));
    }

    @Test
    void aRecordMayHaveNone() {
        assertThat(StampedRecords.read(record.headers())).isEmpty();
    }

    @Test
    void whatIsThereTwiceOrEmptyIsAnError() {
        StampedRecords.stamp(record, stamp(34));
        record.headers().add(FenceHeaders.TOKEN, "000000000000035".getBytes(StandardCharsets.US_ASCII));

        assertThatThrownBy(() -> StampedRecords.read(record.headers()))
                .isInstanceOf(MalformedStampException.class)
                .hasMessageContaining("2 times");
        record.headers().remove(FenceHeaders.TOKEN).add(FenceHeaders.TOKEN, null);
        assertThatThrownBy(() -> StampedRecords.read(record.headers())).hasMessageContaining("is empty");
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("invoice:42"), FencingToken.of(token));
    }
}
