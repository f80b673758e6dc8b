/** Locks spread over several stores by their keys. */
@NullMarked
package io.fenceline.sharding;

import org.jspecify.annotations.NullMarked;
