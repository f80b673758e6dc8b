/**
 * The textbook pair: a store that believes every writer, and one that remembers tokens.
 *
 * <p>The scenario is Martin Kleppmann's ("Designing Data-Intensive Applications", chapter 8): a client is paused past the end
 * of its lease, and wakes up to write.
 */
@NullMarked
package io.fenceline.examples.textbook;

import org.jspecify.annotations.NullMarked;
