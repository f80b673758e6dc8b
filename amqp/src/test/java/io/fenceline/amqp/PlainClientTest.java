package io.fenceline.amqp;

import static io.fenceline.spring.payments.PaymentDatabase.stamp;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceHeaders;
import io.fenceline.guard.FencedConsumer;
import io.fenceline.spring.payments.PaymentDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** RabbitMQ's own client, on a real node and PostgreSQL. */
@Timeout(120)
class PlainClientTest {

    private static final String QUEUE = "plain";
    private static final String DEAD = "plain.refused";

    @Test
    void aStaleMessageChangesNothingAndIsADeadLetter() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setPort(Rabbit.port());
        PaymentDatabase database = new PaymentDatabase();
        try (Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(DEAD, false, false, true, null);
            channel.queueDeclare(
                    QUEUE, false, false, true, Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", DEAD));
            send(channel, "of 34", Optional.of(stamp(34)));
            send(channel, "of 33", Optional.of(stamp(33)));
            send(channel, "of nobody", Optional.empty());
            FencedConsumer<GetResponse, java.sql.Connection> payments =
                    FencedConsumer.<GetResponse, java.sql.Connection>of(
                                    message -> StampedDeliveries.read(
                                            message.getProps().getHeaders()),
                                    message -> "invoice/42",
                                    (resource, stamp, effect) -> database.guard.write(resource, stamp, effect::run),
                                    (message, transaction) -> book(transaction, message))
                            .whenStale((message, why) -> reject(channel, message))
                            .whenMissing((message, why) -> reject(channel, message));

            GetResponse message = channel.basicGet(QUEUE, false);
            while (message != null) {
                if (payments.accept(message)) {
                    channel.basicAck(message.getEnvelope().getDeliveryTag(), false);
                }
                message = channel.basicGet(QUEUE, false);
            }

            assertThat(database.bookings()).containsExactly("of 34");
            assertThat(all(channel, DEAD)).containsExactly("of 33", "of nobody");
        }
    }

    private static void send(Channel channel, String text, Optional<FenceStamp> stamp) throws Exception {
        BasicProperties.Builder properties = new BasicProperties.Builder();
        stamp.ifPresent(from -> properties.headers(Map.copyOf(FenceHeaders.of(from))));
        channel.basicPublish("", QUEUE, properties.build(), text.getBytes(StandardCharsets.UTF_8));
    }

    private static void book(java.sql.Connection connection, GetResponse message) throws Exception {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO payment (amount) VALUES (?)")) {
            insert.setString(1, text(message));
            insert.executeUpdate();
        }
    }

    private static void reject(Channel channel, GetResponse message) throws Exception {
        channel.basicReject(message.getEnvelope().getDeliveryTag(), false);
    }

    /** The broker moves dead letters by itself, a little later. */
    private static List<String> all(Channel channel, String queue) throws Exception {
        List<String> texts = new ArrayList<>();
        while (texts.size() < 2) {
            GetResponse message = channel.basicGet(queue, true);
            if (message != null) {
                texts.add(text(message));
            }
        }
        return texts;
    }

    private static String text(GetResponse message) {
        return new String(message.getBody(), StandardCharsets.UTF_8);
    }
}
