/** Locks in the layout of SyncGuard 2.x. */
package io.fenceline.redis.syncguard;
