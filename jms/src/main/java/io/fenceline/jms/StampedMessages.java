package io.fenceline.jms;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.MalformedStampException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Stamps in the properties of JMS messages. JMS wants Java identifiers for names, so the two are {@link FenceHeaders#LOCK_PROPERTY} and {@link
 * FenceHeaders#TOKEN_PROPERTY}. Messages that came from senders of other protocols may have the names with hyphens, which are read too.
 */
public final class StampedMessages {

    private StampedMessages() {}

    /**
     * Stamps a message before it is sent. A stamp that it has is replaced.
     *
     * @param <M> the type of the message
     * @param message the message
     * @param stamp the sender's key and token
     * @return the same message
     * @throws JMSException if the properties cannot be set
     */
    public static <M extends Message> M stamp(M message, FenceStamp stamp) throws JMSException {
        Map<String, String> headers = FenceHeaders.of(stamp);
        message.setStringProperty(FenceHeaders.LOCK_PROPERTY, headers.get(FenceHeaders.LOCK));
        message.setStringProperty(FenceHeaders.TOKEN_PROPERTY, headers.get(FenceHeaders.TOKEN));
        return message;
    }

    /**
     * Reads the stamp of a message.
     *
     * @param message the message
     * @return the stamp, or empty if the sender set none
     * @throws MalformedStampException if one of the two properties is absent, is there in both spellings, or unreadable
     * @throws JMSRuntimeException if the properties cannot be read
     */
    public static Optional<FenceStamp> read(Message message) {
        return FenceHeaders.readAll(name -> Stream.of(name, name.replace('-', '_'))
                .flatMap(spelling -> value(message, spelling))
                .toList());
    }

    private static Stream<String> value(Message message, String name) {
        try {
            return Stream.ofNullable(message.getStringProperty(name));
        } catch (JMSException e) {
            throw new JMSRuntimeException(e.getMessage(), e.getErrorCode(), e);
        }
    }
}
