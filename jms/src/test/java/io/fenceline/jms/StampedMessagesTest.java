package io.fenceline.jms;

import static io.fenceline.spring.payments.PaymentDatabase.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.FencedConsumer;
import io.fenceline.guard.MalformedStampException;
import io.fenceline.spring.payments.PaymentDatabase;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import org.apache.activemq.artemis.jms.client.ActiveMQMessage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stamped messages through a real broker. */
@Timeout(60)
class StampedMessagesTest {

    private static Artemis artemis;

    @BeforeAll
    static void start() throws Exception {
        artemis = new Artemis();
    }

    @AfterAll
    static void stop() {
        artemis.close();
    }

    @Test
    void aMessageCarriesTheLastStampOnly() throws Exception {
        try (JMSContext context = artemis.connections.createContext()) {
            var queue = context.createQueue("stamped");
            Message sent = StampedMessages.stamp(context.createTextMessage("paid"), stamp(33));
            context.createProducer().send(queue, StampedMessages.stamp(sent, stamp(34)));
            context.createProducer().send(queue, context.createTextMessage("bare"));

            try (JMSConsumer consumer = context.createConsumer(queue)) {
                assertThat(StampedMessages.read(consumer.receive())).contains(stamp(34));
                assertThat(StampedMessages.read(consumer.receive())).isEmpty();
            }
        }
    }

    /** JMS refuses the names with hyphens; a sender of another protocol may have set them. */
    @Test
    void theSpellingOfOtherProtocolsIsReadToo() throws Exception {
        try (JMSContext context = artemis.connections.createContext()) {
            Message message = context.createTextMessage("paid");
            assertThatThrownBy(() -> message.setStringProperty(FenceHeaders.LOCK, "invoice:42"))
                    .hasMessageContaining("Fenceline-Lock");
            FenceHeaders.inject(stamp(34), ((ActiveMQMessage) message).getCoreMessage()::putStringProperty);

            assertThat(StampedMessages.read(message)).contains(stamp(34));
            message.setStringProperty(FenceHeaders.TOKEN_PROPERTY, "000000000000035");
            assertThatThrownBy(() -> StampedMessages.read(message))
                    .isInstanceOf(MalformedStampException.class)
                    .hasMessageContaining("2 times");
        }
    }

    @Test
    void aStaleMessageChangesNothingAndIsKept() throws Exception {
        PaymentDatabase database = new PaymentDatabase();
        try (JMSContext context = artemis.connections.createContext(JMSContext.SESSION_TRANSACTED)) {
            var queue = context.createQueue("payments");
            var refused = context.createQueue("payments.refused");
            for (long token : new long[] {34, 33, 35}) {
                context.createProducer()
                        .send(queue, StampedMessages.stamp(context.createTextMessage("of " + token), stamp(token)));
            }
            context.commit();
            FencedConsumer<Message, Connection> payments = FencedConsumer.<Message, Connection>of(
                            StampedMessages::read,
                            message -> "invoice/42",
                            (resource, stamp, effect) -> database.guard.write(resource, stamp, effect::run),
                            (message, connection) -> book(connection, message.getBody(String.class)))
                    .whenStale((message, why) -> context.createProducer().send(refused, message));

            try (JMSConsumer consumer = context.createConsumer(queue)) {
                for (int i = 0; i < 3; i++) {
                    payments.accept(consumer.receive());
                    context.commit();
                }
                assertThat(consumer.receiveNoWait()).isNull();
            }

            assertThat(database.bookings()).containsExactly("of 34", "of 35");
            assertThat(texts(context, "payments.refused", 1)).containsExactly("of 33");
        }
    }

    private static void book(Connection connection, String amount) throws Exception {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO payment (amount) VALUES (?)")) {
            insert.setString(1, amount);
            insert.executeUpdate();
        }
    }

    private static List<String> texts(JMSContext context, String queue, int count) {
        List<String> texts = new ArrayList<>();
        try (JMSConsumer consumer = context.createConsumer(context.createQueue(queue))) {
            while (texts.size() < count) {
                texts.add(consumer.receiveBody(String.class));
            }
        }
        return texts;
    }
}
