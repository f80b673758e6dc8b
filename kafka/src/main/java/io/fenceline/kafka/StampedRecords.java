package io.fenceline.kafka;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.MalformedStampException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** Stamps in the headers of Kafka records, as {@link FenceHeaders} encodes them. */
public final class StampedRecords {

    private StampedRecords() {}

    /**
     * Stamps a record before it is sent. A stamp that it has is replaced.
     *
     * @param <K> the type of keys
     * @param <V> the type of values
     * @param record the record
     * @param stamp the sender's key and token
     * @return the same record
     * @throws IllegalStateException if the record was sent already
     */
    public static <K, V> ProducerRecord<K, V> stamp(ProducerRecord<K, V> record, FenceStamp stamp) {
        FenceHeaders.inject(
                stamp,
                (name, value) -> record.headers().remove(name).add(name, value.getBytes(StandardCharsets.US_ASCII)));
        return record;
    }

    /**
     * Reads the stamp of a record.
     *
     * @param headers the record's headers
     * @return the stamp, or empty if the sender set none
     * @throws MalformedStampException if one of the two headers is absent, repeated or unreadable
     */
    public static Optional<FenceStamp> read(Headers headers) {
        return FenceHeaders.readAll(name -> values(headers, name));
    }

    private static List<String> values(Headers headers, String name) {
        List<String> values = new ArrayList<>();
        for (Header header : headers.headers(name)) {
            byte[] value = header.value();
            values.add(value == null ? "" : new String(value, StandardCharsets.ISO_8859_1));
        }
        return values;
    }
}
