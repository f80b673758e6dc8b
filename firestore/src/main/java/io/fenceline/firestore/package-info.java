/** Locks, guarded documents and generation clocks on Cloud Firestore. */
package io.fenceline.firestore;
