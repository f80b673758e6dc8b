/** Locks in memory and time by hand for tests of Spring Boot applications. */
@NullMarked
package io.fenceline.spring.boot.test;

import org.jspecify.annotations.NullMarked;
