/** Stamps in AMQP messages, and guarded listeners of Spring AMQP. */
@org.jspecify.annotations.NullMarked
package io.fenceline.amqp;
