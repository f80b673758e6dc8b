/** The beans that the starter adds to an application. */
@NullMarked
package io.fenceline.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
