/** Locks in a SQLite file that all processes of one machine share. */
@NullMarked
package io.fenceline.sqlite;

import org.jspecify.annotations.NullMarked;
