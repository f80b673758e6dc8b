/** Orders behind a Servlet filter that refuses stale writers, and a client that meets it. */
@org.jspecify.annotations.NullMarked
package io.fenceline.examples.http;
