@org.jspecify.annotations.NullMarked
package io.fenceline.integration;
