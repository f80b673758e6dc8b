package io.fenceline.amqp;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.MalformedStampException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stamps in the headers of AMQP messages, as {@link FenceHeaders} encodes them. To send one, put {@link FenceHeaders#of} into the headers; with
 * Spring AMQP use {@link StampingPostProcessor}.
 */
public final class StampedDeliveries {

    /** Set by Spring AMQP on a batch, whose messages all have the headers of the first one; it stays when the batch is taken apart. */
    private static final String BATCH = "amqp_batchSize";

    private StampedDeliveries() {}

    /**
     * Reads the stamp of a message. Brokers return texts in types of their own, such as {@code LongString}; their {@code toString} counts.
     *
     * @param headers the message's headers, null if it has none
     * @return the stamp, or empty if the sender set none
     * @throws MalformedStampException if one of the two headers is absent or unreadable, or the message was sent in a batch of Spring AMQP, where
     *     the stamp is that of the first message
     */
    public static Optional<FenceStamp> read(@Nullable Map<String, ? extends @Nullable Object> headers) {
        if (headers == null) {
            return Optional.empty();
        }
        Optional<FenceStamp> stamp = FenceHeaders.read(
                (String name) -> headers.containsKey(name) ? Objects.toString(headers.get(name), "") : null);
        if (stamp.isPresent() && headers.containsKey(BATCH)) {
            throw new MalformedStampException(
                    FenceHeaders.TOKEN,
                    Objects.toString(headers.get(FenceHeaders.TOKEN)),
                    "is that of the first message of a batch; send stamped messages one by one, not by a BatchingRabbitTemplate");
        }
        return stamp;
    }
}
