package io.fenceline.http;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import java.net.URI;
import java.util.EnumSet;
import org.eclipse.jetty.ee10.servlet.FilterHolder;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/** A Jetty on a port of its own, with one filter in front of one servlet. */
final class JettyApplication implements AutoCloseable {

    private final Server server = new Server();
    private final ServerConnector connector = new ServerConnector(server, 1, 1);

    private JettyApplication(FenceFilter filter, HttpServlet servlet) {
        ServletContextHandler context = new ServletContextHandler("/app");
        FilterHolder holder = new FilterHolder(filter);
        holder.setAsyncSupported(true);
        context.addFilter(holder, "/*", EnumSet.of(DispatcherType.REQUEST, DispatcherType.ASYNC));
        ServletHolder handler = new ServletHolder(servlet);
        handler.setAsyncSupported(true);
        context.addServlet(handler, "/*");
        connector.setHost("127.0.0.1");
        server.addConnector(connector);
        server.setHandler(context);
    }

    static JettyApplication start(FenceFilter filter, HttpServlet servlet) {
        JettyApplication application = new JettyApplication(filter, servlet);
        try {
            application.server.start();
        } catch (Exception e) {
            application.close();
            throw new IllegalStateException("Jetty did not start", e);
        }
        return application;
    }

    URI at(String path) {
        return URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/app" + path);
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (Exception e) {
            throw new IllegalStateException("Jetty did not stop", e);
        }
    }
}
