package io.fenceline.cli.process;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * The JDK's {@code sun.misc.Signal}, which has no supported successor.
 *
 * <p>It is called by reflection because javac warns of every mention, the warning cannot be suppressed, and our
 * build takes no warnings.
 */
final class JvmSignals {
    private JvmSignals() {}

    /**
     * Runs {@code reaction}, in a thread of its own, each time this JVM gets the signal.
     *
     * @throws UnsupportedOperationException if this JVM or system does not give the signal away
     */
    static void handle(String name, Runnable reaction) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object proxy = Proxy.newProxyInstance(
                    handler.getClassLoader(), new Class<?>[] {handler}, (self, method, arguments) -> {
                        reaction.run();
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
        } catch (InvocationTargetException e) {
            throw new UnsupportedOperationException("SIG" + name, e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new UnsupportedOperationException("sun.misc.Signal", e);
        }
    }
}
