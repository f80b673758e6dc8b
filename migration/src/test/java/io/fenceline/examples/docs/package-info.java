@org.jspecify.annotations.NullMarked
package io.fenceline.examples.docs;
