package io.fenceline.spring.payments;

import io.fenceline.spring.TransactionFences;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** Guarded transactions on a {@link PaymentDatabase}, and the books that are kept in them. */
@Configuration
@EnableTransactionManagement
public class PaymentTransactions {

    @Bean
    JdbcTransactionManager transactionManager(PaymentDatabase database) {
        return new JdbcTransactionManager(database.source);
    }

    @Bean
    TransactionFences fences(PaymentDatabase database) {
        return TransactionFences.of(database.guard, database.source);
    }

    @Bean
    PaymentBooks books(PaymentDatabase database) {
        return new PaymentBooks(database);
    }
}
