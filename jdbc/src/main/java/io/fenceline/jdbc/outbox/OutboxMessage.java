package io.fenceline.jdbc.outbox;

import io.fenceline.FenceStamp;
import io.fenceline.ResourceName;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A message to a third party. Immutable.
 *
 * <p>Messages of one resource are delivered in the order in which they were added.
 */
public final class OutboxMessage {

    /** The greatest length of an idempotency key, in characters: room for any lock key, a token and a step. */
    public static final int MAX_KEY_LENGTH = 640;

    private final ResourceName resource;
    private final FenceStamp stamp;
    private final String idempotencyKey;
    private final String destination;
    private final byte[] payload;
    private final Map<String, String> headers;

    private OutboxMessage(
            ResourceName resource,
            FenceStamp stamp,
            String idempotencyKey,
            String destination,
            byte[] payload,
            Map<String, String> headers) {
        this.resource = resource;
        this.stamp = stamp;
        this.idempotencyKey = idempotencyKey;
        this.destination = destination;
        this.payload = payload;
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /**
     * Returns a message.
     *
     * @param resource what the business transaction writes to; the message is guarded and ordered by it
     * @param stamp the writer's key and token
     * @param idempotencyKey the same for every repetition of this step, different for every other: {@code
     *     lease.idempotencyKey("charge")}
     * @param destination what the delivery goes by: a topic, an address, the name of a receiver
     * @param payload the content
     * @return the message, without headers
     * @throws IllegalArgumentException if the resource breaks the rules of {@link ResourceName}, or the key is empty, longer
     *     than {@value #MAX_KEY_LENGTH} characters, or has control characters
     */
    public static OutboxMessage of(
            String resource, FenceStamp stamp, String idempotencyKey, String destination, byte[] payload) {
        if (idempotencyKey.isEmpty()
                || idempotencyKey.length() > MAX_KEY_LENGTH
                || idempotencyKey.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("idempotencyKey has " + idempotencyKey.length() + " characters: '"
                    + idempotencyKey.substring(0, Math.min(40, idempotencyKey.length()))
                    + "'; it needs 1 to " + MAX_KEY_LENGTH + " and no control characters");
        }
        return new OutboxMessage(
                ResourceName.of(resource),
                Objects.requireNonNull(stamp, "stamp"),
                idempotencyKey,
                Objects.requireNonNull(destination, "destination"),
                payload.clone(),
                Map.of());
    }

    /**
     * Returns a message with text as its content, in UTF-8.
     *
     * @param resource what the business transaction writes to
     * @param stamp the writer's key and token
     * @param idempotencyKey the same for every repetition of this step
     * @param destination what the delivery goes by
     * @param payload the content
     * @return the message, without headers
     * @throws IllegalArgumentException as the other method does
     */
    public static OutboxMessage of(
            String resource, FenceStamp stamp, String idempotencyKey, String destination, String payload) {
        return of(resource, stamp, idempotencyKey, destination, payload.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Returns this message with one header more.
     *
     * @param name replaced if it is there
     * @param value the value
     * @return a copy
     */
    public OutboxMessage withHeader(String name, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
        return withHeaders(more);
    }

    /**
     * Returns this message with other headers.
     *
     * @param newHeaders all headers, in their order
     * @return a copy
     */
    public OutboxMessage withHeaders(Map<String, String> newHeaders) {
        return new OutboxMessage(resource, stamp, idempotencyKey, destination, payload, newHeaders);
    }

    /**
     * Returns what the business transaction wrote to.
     *
     * @return the resource's name
     */
    public String resource() {
        return resource.value();
    }

    /**
     * Returns under which grant the message was added.
     *
     * @return the writer's key and token
     */
    public FenceStamp stamp() {
        return stamp;
    }

    /**
     * Returns what the receiver tells repetitions by.
     *
     * @return the same key at each attempt
     */
    public String idempotencyKey() {
        return idempotencyKey;
    }

    /**
     * Returns what the delivery goes by.
     *
     * @return a topic, an address, the name of a receiver
     */
    public String destination() {
        return destination;
    }

    /**
     * Returns the content.
     *
     * @return a copy
     */
    public byte[] payload() {
        return payload.clone();
    }

    /** The payload's bytes. */
    int size() {
        return payload.length;
    }

    /**
     * Returns the content as text.
     *
     * @return the payload, read as UTF-8
     */
    public String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }

    /**
     * Returns what goes with the content.
     *
     * @return headers in the order in which they were given
     */
    public Map<String, String> headers() {
        return headers;
    }

    /**
     * Tells whether another message says the same to the same receiver. Stamps and headers may differ: a repetition may carry
     * another trace id.
     */
    boolean saysTheSameAs(OutboxMessage other) {
        return resource.equals(other.resource)
                && destination.equals(other.destination)
                && Arrays.equals(payload, other.payload);
    }

    /** Returns the key, the destination and the size; never the content. */
    @Override
    public String toString() {
        return "message '" + idempotencyKey + "' of '" + resource + "' to '" + destination + "' (" + payload.length
                + " bytes)";
    }
}
