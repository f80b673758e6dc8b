package io.fenceline.spring;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.SharedEntityManagerCreator;

/** Reads and writes texts in the current transaction. */
interface Texts {

    void put(String name, String text);

    void remove(String name);

    Optional<String> find(String name);

    static Texts byJdbc(DataSource source) {
        JdbcTemplate jdbc = new JdbcTemplate(source);
        return new Texts() {
            @Override
            public void put(String name, String text) {
                if (jdbc.update("update texts set text = ? where name = ?", text, name) == 0) {
                    jdbc.update("insert into texts (name, text) values (?, ?)", name, text);
                }
            }

            @Override
            public void remove(String name) {
                jdbc.update("delete from texts where name = ?", name);
            }

            @Override
            public Optional<String> find(String name) {
                return jdbc.queryForList("select text from texts where name = ?", String.class, name).stream()
                        .findFirst();
            }
        };
    }

    static Texts byJpa(EntityManagerFactory factory) {
        EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        return new Texts() {
            @Override
            public void put(String name, String text) {
                TextEntity row = entities.find(TextEntity.class, name);
                if (row == null) {
                    row = new TextEntity();
                    row.name = name;
                    entities.persist(row);
                }
                row.text = text;
            }

            @Override
            public void remove(String name) {
                TextEntity row = entities.find(TextEntity.class, name);
                if (row != null) {
                    entities.remove(row);
                }
            }

            @Override
            public Optional<String> find(String name) {
                return Optional.ofNullable(entities.find(TextEntity.class, name))
                        .map(row -> row.text);
            }
        };
    }
}
