/** The tables of SyncGuard 2.x on PostgreSQL, shared with its processes. */
@NullMarked
package io.fenceline.jdbc.syncguard;

import org.jspecify.annotations.NullMarked;
