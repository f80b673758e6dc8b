/** Fenceline in Spring Boot: the properties, and the data source that is meant. */
@NullMarked
package io.fenceline.spring.boot;

import org.jspecify.annotations.NullMarked;
