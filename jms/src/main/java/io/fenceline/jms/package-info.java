/** Stamps in JMS messages, and guarded listeners of Spring JMS. */
@org.jspecify.annotations.NullMarked
package io.fenceline.jms;
