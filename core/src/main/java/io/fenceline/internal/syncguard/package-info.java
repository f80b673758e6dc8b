/**
 * Common parts of the layouts that are shared with SyncGuard 2.x: storage names, and the hash that its tools display.
 *
 * <p>The layouts themselves are in the modules of the stores: {@code KeyLayout.syncGuard} for Redis, {@code
 * LockSchema.syncGuard} for PostgreSQL, {@code DocumentLayout.syncGuard} for Firestore.
 */
@NullMarked
package io.fenceline.internal.syncguard;

import org.jspecify.annotations.NullMarked;
