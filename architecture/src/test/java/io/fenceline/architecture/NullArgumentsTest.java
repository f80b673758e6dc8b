package io.fenceline.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.Backends;
import io.fenceline.FenceStamp;
import io.fenceline.FencingToken;
import io.fenceline.Holder;
import io.fenceline.LockId;
import io.fenceline.LockKey;
import io.fenceline.LockOptions;
import io.fenceline.Locks;
import io.fenceline.Redaction;
import io.fenceline.ResourceName;
import io.fenceline.RetryPolicy;
import io.fenceline.election.Candidate;
import io.fenceline.election.Election;
import io.fenceline.election.LeadershipListener;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.MemoryFenceGuard;
import io.fenceline.jdbc.guard.GuardOptions;
import io.fenceline.jdbc.guard.JdbcFenceGuard;
import io.fenceline.memory.MemoryLockBackend;
import io.fenceline.redis.Acknowledgement;
import io.fenceline.redis.KeyLayout;
import io.fenceline.redis.RedisOptions;
import io.fenceline.spi.LockBackend;
import io.fenceline.telemetry.LockListeners;
import io.fenceline.time.TimeSource;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The error that a null argument of the API causes: its message is the argument's name, not one of the JVM about our variables. */
class NullArgumentsTest {

    private static final Locks LOCKS = Locks.over(new MemoryLockBackend());
    private static final FenceStamp STAMP = new FenceStamp(LockKey.of("key"), FencingToken.of(1));
    private static final MemoryFenceGuard GUARD = new MemoryFenceGuard();

    /** Objects whose methods are called. */
    private static final List<Object> TARGETS = List.of(
            LOCKS,
            Locks.builder(new MemoryLockBackend()),
            LockOptions.defaults(),
            LOCKS.tryAcquire("held by the test").orElseThrow(),
            GUARD,
            Election.of(LOCKS, "group"),
            Candidate.of("node"),
            JdbcFenceGuard.on(unused(DataSource.class)),
            GuardOptions.defaults(),
            RedisOptions.defaults());

    /** Classes whose static methods and constructors are called. */
    private static final List<Class<?>> FACTORIES = List.of(
            Locks.class,
            Backends.class,
            LockKey.class,
            LockId.class,
            Holder.class,
            ResourceName.class,
            FencingToken.class,
            FenceStamp.class,
            LockOptions.class,
            RetryPolicy.class,
            Candidate.class,
            Election.class,
            MemoryFenceGuard.class,
            JdbcFenceGuard.class,
            GuardOptions.class);

    private static final Map<Class<?>, Object> SAMPLES = Map.ofEntries(
            Map.entry(String.class, "text"),
            Map.entry(LockKey.class, STAMP.key()),
            Map.entry(FencingToken.class, STAMP.token()),
            Map.entry(FenceStamp.class, STAMP),
            Map.entry(Holder.class, Holder.of("us")),
            Map.entry(Duration.class, Duration.ofSeconds(1)),
            Map.entry(Instant.class, Instant.EPOCH),
            Map.entry(LockOptions.class, LockOptions.defaults()),
            Map.entry(RetryPolicy.class, RetryPolicy.defaults()),
            Map.entry(GuardOptions.class, GuardOptions.defaults()),
            Map.entry(Candidate.class, Candidate.of("node")),
            Map.entry(Locks.class, LOCKS),
            Map.entry(LockBackend.class, new MemoryLockBackend()),
            Map.entry(FenceGuard.class, GUARD),
            Map.entry(LeadershipListener.class, unused(LeadershipListener.class)),
            Map.entry(TimeSource.class, TimeSource.system()),
            Map.entry(LockListeners.class, LockListeners.NONE),
            Map.entry(KeyLayout.class, KeyLayout.fenceline()),
            Map.entry(Acknowledgement.class, Acknowledgement.none()),
            Map.entry(Redaction.class, Redaction.withRandomSecret()),
            Map.entry(Collection.class, List.of("text")),
            Map.entry(boolean.class, true),
            Map.entry(int.class, 1),
            Map.entry(long.class, 1L),
            Map.entry(double.class, 1.0),
            Map.entry(Optional.class, Optional.empty()),
            Map.entry(String[].class, new String[] {"text"}));

    @TestFactory
    Stream<DynamicTest> areNamed() {
        Stream<DynamicTest> methods = TARGETS.stream()
                .flatMap(target -> Arrays.stream(target.getClass().getMethods())
                        .filter(method -> !Modifier.isStatic(method.getModifiers()))
                        .filter(method -> method.getDeclaringClass() != Object.class
                                && !method.getName().equals("equals"))
                        .flatMap(method -> tests(method, target)));
        Stream<DynamicTest> factories = FACTORIES.stream()
                .flatMap(type -> Stream.concat(
                        Arrays.stream(type.getMethods()).filter(method -> Modifier.isStatic(method.getModifiers())),
                        Arrays.stream(type.getConstructors())))
                .flatMap(executable -> tests(executable, null));
        return Stream.concat(methods, factories);
    }

    private static Stream<DynamicTest> tests(Executable executable, @Nullable Object target) {
        List<DynamicTest> tests = new ArrayList<>();
        Parameter[] parameters = executable.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            int index = i;
            if (!parameters[i].getType().isPrimitive() && !isNullable(parameters[i])) {
                String name = executable.getDeclaringClass().getSimpleName() + "." + executable.getName() + " "
                        + Arrays.stream(parameters)
                                .map(p -> p.getType().getSimpleName())
                                .toList() + " with null at " + i;
                tests.add(DynamicTest.dynamicTest(name, () -> check(executable, target, index)));
            }
        }
        return tests.stream();
    }

    private static boolean isNullable(Parameter parameter) {
        return parameter.getAnnotatedType().isAnnotationPresent(Nullable.class);
    }

    private static void check(Executable executable, @Nullable Object target, int index) throws Exception {
        Object[] arguments = Arrays.stream(executable.getParameterTypes())
                .map(NullArgumentsTest::sample)
                .toArray();
        arguments[index] = null;
        Throwable thrown = null;
        try {
            executable.setAccessible(true); // public methods of a class that is not
            if (executable instanceof Method method) {
                method.invoke(target, arguments);
            } else {
                ((Constructor<?>) executable).newInstance(arguments);
            }
        } catch (InvocationTargetException e) {
            thrown = e.getCause();
        }
        assertThat(thrown).as("%s at %d", executable, index).isInstanceOf(NullPointerException.class);
        assertThat(Objects.requireNonNull(thrown).getMessage())
                .as("%s at %d", executable, index)
                .matches("[a-zA-Z ]+");
    }

    private static Object sample(Class<?> type) {
        if (SAMPLES.containsKey(type)) {
            return SAMPLES.get(type);
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        return type.isArray() ? Array.newInstance(type.getComponentType(), 0) : unused(type);
    }

    private static <T> T unused(Class<T> type) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(type + " is used before the arguments were checked");
                }));
    }
}
