package io.fenceline.http;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

/** Request wrapper that forbids asynchronous handling, which would continue after the guarded step has ended. */
final class SynchronousRequest extends HttpServletRequestWrapper {

    SynchronousRequest(HttpServletRequest request) {
        super(request);
    }

    @Override
    public boolean isAsyncSupported() {
        return false;
    }

    @Override
    public AsyncContext startAsync() {
        throw refusal();
    }

    @Override
    public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
        throw refusal();
    }

    private static IllegalStateException refusal() {
        return new IllegalStateException(
                "a handler that FenceFilter guards cannot be asynchronous: it would write after "
                        + "the guard's step; let the handler guard itself, with FenceFilter.forGuardedHandlers");
    }
}
