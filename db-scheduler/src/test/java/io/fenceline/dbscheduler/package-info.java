@org.jspecify.annotations.NullMarked
package io.fenceline.dbscheduler;
