package io.fenceline.spring;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.transaction.TransactionManager;

/** Managers whose transactions write to no database: what they send carries stamps of its own. */
final class BrokerManagers {

    static final Set<String> NAMES = Set.of(
            "org.springframework.amqp.rabbit.transaction.RabbitTransactionManager",
            "org.springframework.batch.infrastructure.support.transaction.ResourcelessTransactionManager",
            "org.springframework.batch.support.transaction.ResourcelessTransactionManager",
            "org.springframework.jms.connection.JmsTransactionManager",
            "org.springframework.kafka.transaction.KafkaTransactionManager");

    private BrokerManagers() {}

    /** Spring Boot makes no manager for the database where a broker's is there, and {@code @Transactional} then takes the broker's. */
    static void ensureNotAll(Map<String, TransactionManager> managers) {
        if (!managers.isEmpty() && managers.values().stream().allMatch(BrokerManagers::isOne)) {
            throw new IllegalStateException(
                    "@Transactional methods would write to the database outside of a transaction, and so"
                            + " unguarded: the application has no transaction manager but "
                            + String.join(", ", managers.keySet())
                            + ", and no database takes part in its transactions. Declare a"
                            + " JdbcTransactionManager or JpaTransactionManager as a @Primary bean named transactionManager, or set"
                            + " fenceline.guard.enabled=false");
        }
    }

    private static boolean isOne(TransactionManager manager) {
        return Stream.<Class<?>>iterate(manager.getClass(), Objects::nonNull, Class::getSuperclass)
                .anyMatch(type -> NAMES.contains(type.getName()));
    }
}
