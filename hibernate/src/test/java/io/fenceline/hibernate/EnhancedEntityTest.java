package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.LockKey;
import io.fenceline.guard.StaleTokenException;
import jakarta.persistence.Basic;
import java.io.IOException;
import java.io.InputStream;
import org.hibernate.Hibernate;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.boot.registry.BootstrapServiceRegistryBuilder;
import org.hibernate.bytecode.enhance.spi.DefaultEnhancementContext;
import org.hibernate.bytecode.enhance.spi.UnloadedClass;
import org.hibernate.bytecode.enhance.spi.UnloadedField;
import org.hibernate.bytecode.internal.BytecodeProviderInitiator;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An entity that Hibernate's build plugin has enhanced, so that the attribute which names it is read only when it is asked for. */
@Tag("R1")
class EnhancedEntityTest {

    @Test
    void isNamedByAnAttributeThatIsNotLoaded() throws Exception {
        ClassLoader enhancing = new Enhancing();
        Class<?> type = enhancing.loadClass(Letter.class.getName());
        Configuration configuration = new Configuration(new BootstrapServiceRegistryBuilder()
                .applyClassLoader(enhancing)
                .build());
        configuration.setProperty("hibernate.connection.url", Store.H2.newGuardedUrl());
        configuration.setProperty("hibernate.hbm2ddl.auto", "create");
        try (SessionFactory sessions = configuration.addAnnotatedClass(type).buildSessionFactory()) {
            sessions.inTransaction(session -> {
                Fencing.in(session).by(stamp(5));
                session.persist(newLetter(type));
            });

            assertThatThrownBy(() -> sessions.inTransaction(session -> {
                        Fencing.in(session).by(stamp(3));
                        session.remove(loaded(type, session));
                    }))
                    .matches(e -> Fencing.refusal(e)
                            .filter(StaleTokenException.class::isInstance)
                            .isPresent())
                    .hasStackTraceContaining("town:Basel");
            sessions.inTransaction(session -> {
                Fencing.in(session).by(stamp(5));
                session.remove(loaded(type, session));
            });
        }
    }

    private static FenceStamp stamp(long token) {
        return new FenceStamp(LockKey.of("lock"), FencingToken.of(token));
    }

    private static Object newLetter(Class<?> type) {
        try {
            return type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Object loaded(Class<?> type, Session session) {
        Object letter = session.find(type, 7L);
        assertThat(Hibernate.isPropertyInitialized(letter, "town")).isFalse();
        return letter;
    }

    /** Enhances {@link Letter}. */
    private static final class Enhancing extends ClassLoader {
        Enhancing() {
            super(EnhancedEntityTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Letter.class.getName())) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known == null ? define(name) : known;
            }
        }

        private Class<?> define(String name) {
            byte[] code = BytecodeProviderInitiator.buildDefaultBytecodeProvider()
                    .getEnhancer(new DefaultEnhancementContext() {
                        @Override
                        public boolean hasLazyLoadableAttributes(UnloadedClass type) {
                            return true;
                        }

                        @Override
                        public boolean isLazyLoadable(UnloadedField field) {
                            return field.hasAnnotation(Basic.class);
                        }
                    })
                    .enhance(name, plainCode(name));
            return defineClass(name, code, 0, code.length);
        }

        private byte[] plainCode(String name) {
            try (InputStream code = getResourceAsStream(name.replace('.', '/') + ".class")) {
                return code.readAllBytes();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }
}
