package io.fenceline.examples.kafka;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;

/** Stamps of Kafka records. Kafka's header values are bytes, and it keeps several of one name. */
public final class StampedRecords {

    private StampedRecords() {}

    /**
     * Stamps a record before it is sent.
     *
     * @param record the record
     * @param stamp the sender's key and token
     * @return the same record
     */
    public static <K, V> ProducerRecord<K, V> stamp(ProducerRecord<K, V> record, FenceStamp stamp) {
        FenceHeaders.inject(
                stamp,
                (name, value) -> record.headers().remove(name).add(name, value.getBytes(StandardCharsets.US_ASCII)));
        return record;
    }

    /**
     * Reads the stamp of a record that was received.
     *
     * @param record the record
     * @return the stamp, or empty if the sender set none
     */
    public static Optional<FenceStamp> stampOf(ConsumerRecord<?, ?> record) {
        return FenceHeaders.readAll(name -> values(record, name));
    }

    private static List<String> values(ConsumerRecord<?, ?> record, String name) {
        List<String> values = new ArrayList<>();
        for (Header header : record.headers().headers(name)) {
            byte[] value = header.value();
            values.add(value == null ? "" : new String(value, StandardCharsets.ISO_8859_1));
        }
        return values;
    }
}
