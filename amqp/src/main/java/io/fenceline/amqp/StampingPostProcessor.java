package io.fenceline.amqp;

import static java.util.Objects.requireNonNull;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceHeaders;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessagePostProcessor;

/**
 * Stamps messages that Spring AMQP sends.
 *
 * @param stamp the sender's key and token; replaces a stamp that the message has
 */
public record StampingPostProcessor(FenceStamp stamp) implements MessagePostProcessor {

    /**
     * Creates the processor.
     *
     * @param stamp the sender's key and token; replaces a stamp that the message has
     */
    public StampingPostProcessor {
        requireNonNull(stamp, "stamp");
    }

    @Override
    public Message postProcessMessage(Message message) {
        FenceHeaders.inject(stamp, message.getMessageProperties()::setHeader);
        return message;
    }
}
