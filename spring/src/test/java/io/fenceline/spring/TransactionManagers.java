package io.fenceline.spring;

import jakarta.persistence.EntityManagerFactory;
import java.util.Arrays;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

/** The transaction managers on which fences are tested, and what reads and writes in their transactions. */
enum TransactionManagers {
    JDBC {
        @Override
        Opened open(DataSource source) {
            return new Opened(new JdbcTransactionManager(source), Texts.byJdbc(source), () -> {});
        }
    },

    JPA {
        @Override
        Opened open(DataSource source) {
            EntityManagerFactory factory = factory(source, TextEntity.class);
            JpaTransactionManager manager = new JpaTransactionManager(factory);
            manager.afterPropertiesSet();
            return new Opened(manager, Texts.byJpa(factory), factory::close);
        }
    };

    /** Kept, as the log manager forgets it otherwise. It warns of what the tests provoke. */
    private static final Logger HIBERNATE = Logger.getLogger("org.hibernate");

    abstract Opened open(DataSource source);

    record Opened(AbstractPlatformTransactionManager manager, Texts texts, Runnable closing) {}

    static EntityManagerFactory factory(DataSource source, Class<?>... entities) {
        HIBERNATE.setLevel(Level.OFF);
        LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(source);
        factory.setManagedTypes(PersistenceManagedTypes.of(
                Arrays.stream(entities).map(Class::getName).toArray(String[]::new)));
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setJpaProperties(new Properties());
        factory.afterPropertiesSet();
        return factory.getObject();
    }
}
