/** A toy store and a toy guard on the files of one folder. docs/writing-a-backend.md and docs/writing-a-guard.md walk through them. */
@NullMarked
package io.fenceline.examples.folder;

import org.jspecify.annotations.NullMarked;
