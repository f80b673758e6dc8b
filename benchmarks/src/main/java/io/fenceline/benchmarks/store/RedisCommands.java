package io.fenceline.benchmarks.store;

/** Finds commands in Redis' protocol, where each is an array of strings that name their length. */
final class RedisCommands implements Commands {

    private long skip;
    private boolean inLine;
    private char kind;
    private long number;

    @Override
    public int in(byte[] bytes, int length) {
        int commands = 0;
        for (int i = 0; i < length; i++) {
            if (skip > 0) {
                skip--;
            } else if (!inLine) {
                inLine = true;
                kind = (char) bytes[i];
                number = 0;
                commands += kind == '*' ? 1 : 0;
            } else if (bytes[i] == '\n') {
                inLine = false;
                skip = kind == '$' ? number + 2 : 0;
            } else if (bytes[i] >= '0' && bytes[i] <= '9') {
                number = number * 10 + bytes[i] - '0';
            }
        }
        return commands;
    }
}
