package io.fenceline.benchmarks.store;

/**
 * Finds statements in PostgreSQL's protocol: each message has a letter (only the first ones of a connection have none) and
 * its length; {@code E} executes a prepared statement and {@code Q} a text.
 */
final class PostgresCommands implements Commands {

    private static final int ENCRYPTION_WANTED = 8;

    private boolean started;
    private char kind;
    private int header;
    private long length;
    private long skip;

    @Override
    public int in(byte[] bytes, int count) {
        int commands = 0;
        for (int i = 0; i < count; i++) {
            if (skip > 0) {
                skip--;
            } else if (started && header == 0) {
                kind = (char) bytes[i];
                commands += kind == 'E' || kind == 'Q' ? 1 : 0;
                header++;
                length = 0;
            } else {
                length = length << 8 | bytes[i] & 0xff;
                header++;
                if (header == (started ? 5 : 4)) {
                    header = 0;
                    skip = length - 4;
                    // a request for encryption is shorter than any start-up message, which comes after it
                    started |= length != ENCRYPTION_WANTED;
                    length = 0;
                }
            }
        }
        return commands;
    }
}
