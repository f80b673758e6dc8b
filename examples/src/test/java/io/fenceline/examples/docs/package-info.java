/** Compiles and runs the Java of README and docs as a reader would: outside of this repository, on real servers. */
@org.jspecify.annotations.NullMarked
package io.fenceline.examples.docs;
