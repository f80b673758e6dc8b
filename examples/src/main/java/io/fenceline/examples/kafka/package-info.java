/** Stamps in Kafka's record headers, and a consumer that handles under a guard in its database. */
@org.jspecify.annotations.NullMarked
package io.fenceline.examples.kafka;
