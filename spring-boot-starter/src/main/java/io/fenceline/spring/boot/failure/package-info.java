/** The words for an application that cannot start because of its locks. */
@NullMarked
package io.fenceline.spring.boot.failure;

import org.jspecify.annotations.NullMarked;
