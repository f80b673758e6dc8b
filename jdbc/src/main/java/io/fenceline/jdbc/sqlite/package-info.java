/** SQLite as a database that guards, an outbox and triggers are used on. */
@NullMarked
package io.fenceline.jdbc.sqlite;

import org.jspecify.annotations.NullMarked;
