package io.fenceline.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayDeque;
import java.util.Calendar;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

/** The text of a key must be the same for equal values in all processes. */
@Timeout(60)
class KeyTextTest {

    static Stream<Object> withoutText() {
        return Stream.of(
                new Object(),
                new byte[1],
                List.of(new Object()),
                Map.of("k", new int[1]),
                Optional.of(List.of(new Object())),
                Map.entry("k", new Object()),
                new Ids(new long[1]),
                new Amount(),
                new Nameless(),
                new CopiedIds(new long[1]),
                proxyOf(new Textless()));
    }

    @ParameterizedTest
    @MethodSource
    void withoutText(Object value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keyOf(value))
                .withMessageContaining("has no toString() of its own: each instance would have a key of its own");
    }

    @Test
    void ofAnyLength() throws Exception {
        for (String part : List.of("a", "a.", "[", "a.b@")) {
            String text = part.repeat(100_000);
            assertThat(keyOf(new Name(text))).contains(text);
        }
    }

    static Stream<Object> withoutOrder() {
        return Stream.of(
                Set.of(1, 2),
                Map.of(1, 2, 3, 4),
                Map.of(1, 2, 3, 4).values(),
                List.of(Set.of(1, 2)),
                Map.entry("k", Set.of(1, 2)),
                new ArrayDeque<>(List.of(2, 1)),
                new Sets(Set.of(1, 2), ""),
                new Tagged(Set.of(1, 2)));
    }

    @ParameterizedTest
    @MethodSource
    void withoutOrder(Object value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keyOf(value))
                .withMessageContaining("whose order need not be the same in equal ones")
                .withMessageContaining("TreeSet");
    }

    static Stream<Object> withAnotherText() throws Exception {
        return Stream.of(
                new Date(0),
                new Timestamp(0),
                List.of(Calendar.getInstance()),
                InetAddress.getByAddress("host", new byte[] {1, 2, 3, 4}),
                new AtomicReference<>("a"),
                new On(new Date(0)));
    }

    @ParameterizedTest
    @MethodSource
    void withAnotherText(Object value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keyOf(value))
                .withMessageContaining("whose text is not known to be the same for equal ones in all processes");
    }

    static Stream<Arguments> fit() {
        return Stream.of(
                Arguments.of(new TreeSet<>(Set.of(2, 1)), "[1, 2]"),
                Arguments.of(new TreeMap<>(Map.of(2, "b", 1, "a")), "{1=a, 2=b}"),
                Arguments.of(Set.of(1), "[1]"),
                Arguments.of(LocalDate.EPOCH, "1970-01-01"),
                Arguments.of(Duration.ofDays(1), "PT24H"),
                Arguments.of(ZoneId.of("UTC"), "UTC"),
                Arguments.of(TimeUnit.DAYS, "DAYS"),
                Arguments.of(Path.of("a", "b"), "a/b"),
                Arguments.of(new OfDate(new Date(0)), "0"),
                Arguments.of(new Order(), "order 42"),
                Arguments.of(new Account("a", new Object()), "Account[name=a, secret=hidden]"),
                Arguments.of(new Name("svc.user@db"), "Name[text=svc.user@db]"),
                Arguments.of(List.of("C@42", "b.c@d"), "[C@42, b.c@d]"),
                Arguments.of(URI.create("https://host/three.js@3"), "https://host/three.js@3"),
                Arguments.of(new SortedText(Set.of(2, 1)), "of [1, 2]"),
                Arguments.of(new UUID(0, 7), "00000000-0000-0000-0000-000000000007"));
    }

    @ParameterizedTest
    @MethodSource
    void fit(Object value, String text) throws Exception {
        assertThat(keyOf(value)).isEqualTo(text);
    }

    private static String keyOf(Object value) throws Exception {
        Method method = KeyTextTest.class.getDeclaredMethod("locked", Object.class);
        return new KeyTemplate("#{#key}", method)
                .evaluate(new KeyTextTest(), new Object[] {value}, new StaticListableBeanFactory());
    }

    void locked(Object key) {}

    static class Textless {}

    static class Nameless {
        @Override
        public String toString() {
            return null;
        }
    }

    private static Object proxyOf(Object target) {
        ProxyFactory factory = new ProxyFactory(target);
        factory.setProxyTargetClass(true);
        return factory.getProxy();
    }

    record Ids(long[] ids) {}

    record CopiedIds(long[] ids) {
        @Override
        public long[] ids() {
            return ids.clone();
        }
    }

    record Sets(Set<Integer> ids, String text) {}

    record SortedText(Set<Integer> ids) {
        @Override
        public String toString() {
            return "of " + new TreeSet<>(ids);
        }
    }

    record Name(String text) {}

    record On(Date date) {}

    /** Its text names a field, and does not show what is in it. */
    record Account(String name, Object secret) {
        @Override
        public String toString() {
            return "Account[name=" + name + ", secret=hidden]";
        }
    }

    record OfDate(Date date) {
        @Override
        public String toString() {
            return Long.toString(date.getTime());
        }
    }

    static final class Amount extends Number {

        @Override
        public int intValue() {
            return 0;
        }

        @Override
        public long longValue() {
            return 0;
        }

        @Override
        public float floatValue() {
            return 0;
        }

        @Override
        public double doubleValue() {
            return 0;
        }
    }

    /** As an entity whose lines cannot be read any more. */
    static final class Order {

        final Object lines = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("the session is closed");
            }
        };

        @Override
        public String toString() {
            return "order 42";
        }
    }

    /** As Lombok and Kotlin make them. */
    static final class Tagged {

        final Set<Integer> tags;

        Tagged(Set<Integer> tags) {
            this.tags = tags;
        }

        @Override
        public String toString() {
            return "Tagged(tags=" + tags + ")";
        }
    }
}
