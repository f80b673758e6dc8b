package io.fenceline.jms;

import static io.fenceline.spring.payments.PaymentDatabase.stamp;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.fenceline.spring.FenceScope;
import io.fenceline.spring.TransactionFences;
import io.fenceline.spring.payments.PaymentDatabase;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jms.connection.JmsTransactionManager;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** Messages in a transaction of the broker's while a stamp is in force. */
@Timeout(60)
class SentUnderALockTest {

    @Test
    @SuppressWarnings("try") // the scope is in force, and not used
    void areCommitted() throws Exception {
        PaymentDatabase database = new PaymentDatabase();
        try (Artemis artemis = new Artemis();
                FenceScope scope = FenceScope.open(stamp(34), List.of("invoice/42"))) {
            JmsTransactionManager manager = new JmsTransactionManager(artemis.connections);
            TransactionFences.of(database.guard, database.source).addTo(manager);
            JmsTemplate template = new JmsTemplate(artemis.connections);
            template.setSessionTransacted(true);

            new TransactionTemplate(manager)
                    .executeWithoutResult(status -> template.convertAndSend(
                            "payments", "paid", message -> StampedMessages.stamp(message, stamp(34))));

            assertThat(template.receiveAndConvert("payments")).isEqualTo("paid");
        }
    }

    /** As Spring Boot has it: it makes no manager for the database where the broker's is there. */
    @Test
    void areNotAllThatATransactionOfAnApplicationMayBeFor() {
        PaymentDatabase database = new PaymentDatabase();
        TransactionFences fences = TransactionFences.of(database.guard, database.source);
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("brokers", new JmsTransactionManager() {});
        fences.setBeanFactory(beans);

        assertThatIllegalStateException()
                .isThrownBy(fences::afterSingletonsInstantiated)
                .withMessageContaining("no transaction manager but brokers")
                .withMessageContaining("Declare a JdbcTransactionManager");

        beans.registerSingleton("databases", new JdbcTransactionManager(database.source));
        assertThatNoException().isThrownBy(fences::afterSingletonsInstantiated);
    }
}
