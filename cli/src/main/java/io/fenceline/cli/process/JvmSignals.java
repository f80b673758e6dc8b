package io.fenceline.cli.process;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Handles signals by the JDK's {@code sun.misc.Signal}, which has no supported successor.
 *
 * <p>Called by reflection: javac warns of every use, the warning cannot be suppressed, and warnings fail our build.
 */
final class JvmSignals {
    private JvmSignals() {}

    /**
     * Runs {@code reaction}, in a thread of its own, each time this JVM gets the signal.
     *
     * @throws UnsupportedOperationException if this JVM or system reserves the signal
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
