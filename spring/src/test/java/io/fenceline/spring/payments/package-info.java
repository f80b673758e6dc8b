/** Payments that listeners of messages book, for the tests of every protocol. */
package io.fenceline.spring.payments;
