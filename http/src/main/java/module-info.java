/** Fenceline over HTTP: a Servlet filter that refuses stale writers, and the client's side of it. */
@org.jspecify.annotations.NullMarked
module io.fenceline.http {
    requires static org.jspecify;
    // The container brings it; a client needs none.
    requires static jakarta.servlet;
    requires com.fasterxml.jackson.core;
    requires transitive io.fenceline.core;
    requires transitive java.net.http;

    exports io.fenceline.http;
}
