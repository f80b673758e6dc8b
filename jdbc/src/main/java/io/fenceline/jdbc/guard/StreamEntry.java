package io.fenceline.jdbc.guard;

import io.fenceline.FencingToken;
import java.nio.charset.StandardCharsets;

/** An entry that was appended to a {@link FencedStream}. Immutable. */
public final class StreamEntry {

    private final long position;
    private final FencingToken token;
    private final byte[] payload;

    StreamEntry(long position, FencingToken token, byte[] payload) {
        this.position = position;
        this.token = token;
        this.payload = payload;
    }

    /**
     * Returns where the entry is in its stream.
     *
     * @return 1 for the first, and one more for each that follows
     */
    public long position() {
        return position;
    }

    /**
     * Returns who appended it.
     *
     * @return the token, never smaller than that of the entry before
     */
    public FencingToken token() {
        return token;
    }

    /**
     * Returns what was appended.
     *
     * @return a copy of the bytes
     */
    public byte[] payload() {
        return payload.clone();
    }

    /**
     * Returns what was appended, as text.
     *
     * @return the bytes read as UTF-8
     */
    public String text() {
        return new String(payload, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
        return "entry " + position + " by " + token;
    }
}
