package io.fenceline.jms;

import java.util.Set;
import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.TransportConfiguration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.remoting.impl.invm.InVMAcceptorFactory;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/** A real broker in this process. It delivers what fails three times, and then puts it into the queue {@code dead}. */
final class Artemis implements AutoCloseable {

    private final EmbeddedActiveMQ server = new EmbeddedActiveMQ();
    final ActiveMQConnectionFactory connections = new ActiveMQConnectionFactory("vm://0");

    Artemis() throws Exception {
        server.setConfiguration(new ConfigurationImpl()
                .setPersistenceEnabled(false)
                .setSecurityEnabled(false)
                .setAcceptorConfigurations(Set.of(new TransportConfiguration(InVMAcceptorFactory.class.getName())))
                .addAddressSetting(
                        "#",
                        new AddressSettings().setMaxDeliveryAttempts(3).setDeadLetterAddress(SimpleString.of("dead"))));
        server.start();
        server.getActiveMQServer() // without a queue, what is sent to its address is lost
                .createQueue(QueueConfiguration.of("dead").setRoutingType(RoutingType.ANYCAST));
    }

    @Override
    public void close() {
        connections.close();
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
