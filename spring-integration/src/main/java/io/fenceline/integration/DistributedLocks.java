package io.fenceline.integration;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.LockRegistry;

/** Makes locks {@code DistributedLock}s where Spring Integration has that interface, from 7.0 on. */
final class DistributedLocks {

    private static final @Nullable Class<?> TYPE = find();

    private DistributedLocks() {}

    private static @Nullable Class<?> find() {
        try {
            return Class.forName(
                    LockRegistry.class.getPackageName() + ".DistributedLock",
                    false,
                    LockRegistry.class.getClassLoader());
        } catch (ClassNotFoundException before7) {
            return null;
        }
    }

    static Lock of(RegistryLock lock) {
        if (TYPE == null) {
            return lock;
        }
        return (Lock) Proxy.newProxyInstance(
                TYPE.getClassLoader(), new Class<?>[] {TYPE}, (proxy, method, arguments) -> {
                    if (method.getName().equals("equals")) {
                        return proxy == arguments[0];
                    }
                    try {
                        return RegistryLock.class
                                .getMethod(method.getName(), method.getParameterTypes())
                                .invoke(lock, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
