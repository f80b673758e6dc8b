/** MariaDB and MySQL. */
@NullMarked
package io.fenceline.jdbc.mariadb;

import org.jspecify.annotations.NullMarked;
