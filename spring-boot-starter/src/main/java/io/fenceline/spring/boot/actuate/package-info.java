/** The endpoint and the health of locks. */
@NullMarked
package io.fenceline.spring.boot.actuate;

import org.jspecify.annotations.NullMarked;
