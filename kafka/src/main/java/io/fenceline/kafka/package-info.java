/** Stamps in Kafka records, a transactional producer for the holder of a lease, and guarded listeners of spring-kafka. */
@org.jspecify.annotations.NullMarked
package io.fenceline.kafka;
