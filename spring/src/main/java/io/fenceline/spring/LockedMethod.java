package io.fenceline.spring;

import io.fenceline.LockOptions;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** One {@link Locked} method, with its annotation resolved and checked. */
final class LockedMethod {

    private final Method method;
    private final Locked locked;
    private final KeyTemplate key;
    private final List<KeyTemplate> fences;
    private final @Nullable LockOptions options;

    private LockedMethod(
            Method method, Locked locked, KeyTemplate key, List<KeyTemplate> fences, @Nullable LockOptions options) {
        this.method = method;
        this.locked = locked;
        this.key = key;
        this.fences = fences;
        this.options = options;
    }

    /**
     * Reads and checks a method.
     *
     * @param placeholders resolves them
     * @param defaults of the locks, or null to check durations only where they have no placeholders
     * @throws IllegalStateException if the method cannot work
     */
    static LockedMethod of(Method method, UnaryOperator<String> placeholders, @Nullable LockOptions defaults) {
        Locked locked = LockedMethods.annotation(method, Locked.class);
        LockedMethods.checkShape(method, Locked.class, locked.onUnavailable());
        try {
            KeyTemplate key = new KeyTemplate(placeholders.apply(locked.key()), method);
            List<KeyTemplate> fences = Arrays.stream(locked.fences())
                    .map(fence -> new KeyTemplate(placeholders.apply(fence), method))
                    .toList();
            return new LockedMethod(
                    method, locked, key, fences, defaults == null ? null : options(locked, placeholders, defaults));
        } catch (IllegalArgumentException e) {
            throw LockedMethods.refuse(method, Locked.class, String.valueOf(e.getMessage()));
        }
    }

    private static LockOptions options(Locked locked, UnaryOperator<String> placeholders, LockOptions defaults) {
        LockOptions options = defaults;
        String ttl = placeholders.apply(locked.ttl());
        if (!ttl.isEmpty()) {
            options = options.withTtl(duration("ttl", ttl));
        }
        String atLeast = placeholders.apply(locked.atLeast());
        if (!atLeast.isEmpty()) {
            options = options.withMinHold(duration("atLeast", atLeast));
        }
        String maxWait = placeholders.apply(locked.maxWait());
        if (!maxWait.isEmpty()) {
            return options.withMaxWait(duration("maxWait", maxWait));
        }
        return locked.onUnavailable() == OnUnavailable.SKIP ? options.withMaxWait(Duration.ZERO) : options;
    }

    private static Duration duration(String name, String value) {
        try {
            if (value.chars().allMatch(Character::isDigit)) {
                throw new IllegalArgumentException("no unit");
            }
            return DurationFormatterUtils.detectAndParse(value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    name + " is '" + value + "', it must be a duration such as 500ms, 30s, 5m or PT30S", e);
        }
    }

    String key(Object target, @Nullable Object[] arguments, BeanFactory beans) {
        return key.evaluate(target, arguments, beans);
    }

    List<String> resources(String key, Object target, @Nullable Object[] arguments, BeanFactory beans) {
        return fences.isEmpty()
                ? List.of(key)
                : fences.stream()
                        .map(fence -> fence.evaluate(target, arguments, beans))
                        .toList();
    }

    LockOptions options() {
        if (options == null) {
            throw new IllegalStateException("read without defaults");
        }
        return options;
    }

    Method method() {
        return method;
    }

    /** The name of a bean, or empty. */
    String locks() {
        return locked.locks();
    }

    boolean namesFences() {
        return !fences.isEmpty();
    }

    boolean isSkipped() {
        return locked.onUnavailable() == OnUnavailable.SKIP;
    }

    boolean returnsStage() {
        return LockedMethods.isStage(method.getReturnType());
    }
}
