/**
 * What the layouts that are shared with SyncGuard 2.x processes have in common, whatever the store: how a user's key becomes
 * the name under which it is stored, and the hash that its tools display.
 *
 * <p>The layouts themselves are in the modules of the stores: {@code KeyLayout.syncGuard} for Redis, {@code
 * LockSchema.syncGuard} for PostgreSQL, {@code DocumentLayout.syncGuard} for Firestore.
 */
@NullMarked
package io.fenceline.internal.syncguard;

import org.jspecify.annotations.NullMarked;
