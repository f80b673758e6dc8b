package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application on Hibernate 6.6 that has this module on its class path. */
class OlderHibernateTest {

    @ParameterizedTest
    @ValueSource(classes = {WithoutEntities.class, WithFencedEntity.class})
    void isToldAtItsStartWhatIsNeeded(Class<?> application) throws Exception {
        try (URLClassLoader older = classPathWithHibernate6()) {
            Constructor<?> constructor = older.loadClass(application.getName()).getDeclaredConstructor();
            constructor.setAccessible(true); // the same package of another class loader is another package
            Callable<?> start = (Callable<?>) constructor.newInstance();
            assertThatThrownBy(start::call)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("fenceline-hibernate needs Hibernate ORM 7.4 or later, and this is 6.6.")
                    .hasMessageContaining("use Hibernate 7.4");
        }
    }

    private static URLClassLoader classPathWithHibernate6() throws Exception {
        List<URL> entries = new ArrayList<>();
        try (Stream<Path> older = Files.list(Path.of("target", "hibernate-6"))) {
            for (Path jar : older.toList()) {
                entries.add(jar.toUri().toURL());
            }
        }
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String entry : classPath.split(File.pathSeparator)) {
            String name = Path.of(entry).getFileName().toString();
            if (!name.startsWith("hibernate-core") && !name.startsWith("jakarta.persistence-api")) {
                entries.add(Path.of(entry).toUri().toURL());
            }
        }
        return new URLClassLoader(entries.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static Configuration onH2() {
        return new Configuration().setProperty("hibernate.connection.url", "jdbc:h2:mem:older");
    }

    /** Has no entity. */
    static final class WithoutEntities implements Callable<Object> {

        WithoutEntities() {}

        @Override
        public Object call() {
            return onH2().buildSessionFactory();
        }
    }

    /** Has an entity that is fenced. */
    static final class WithFencedEntity implements Callable<Object> {

        WithFencedEntity() {}

        @Override
        public Object call() {
            return onH2().addAnnotatedClass(Note.class).buildSessionFactory();
        }
    }
}
