package io.fenceline.benchmarks.worker;

import java.io.Serializable;
import java.util.Arrays;

/** One thread's log of a contended lock: five numbers for each grant. Written by that thread. */
public final class Holds implements Serializable {

    private static final int WIDTH = 5;

    private long[] numbers = new long[WIDTH * 256];
    private int size;

    void add(long called, long granted, long releasing, long released, long token) {
        if ((size + 1) * WIDTH > numbers.length) {
            numbers = Arrays.copyOf(numbers, numbers.length * 2);
        }
        int at = size * WIDTH;
        numbers[at] = called;
        numbers[at + 1] = granted;
        numbers[at + 2] = releasing;
        numbers[at + 3] = released;
        numbers[at + 4] = token;
        size++;
    }

    /** Returns how many grants there were. */
    public int size() {
        return size;
    }

    /** Returns when the thread asked for its grant of that number. */
    public long called(int i) {
        return numbers[i * WIDTH];
    }

    /** Returns when it was granted. */
    public long granted(int i) {
        return numbers[i * WIDTH + 1];
    }

    /** Returns when the thread called release. */
    public long releasing(int i) {
        return numbers[i * WIDTH + 2];
    }

    /** Returns when that call came back. */
    public long released(int i) {
        return numbers[i * WIDTH + 3];
    }

    /** Returns the fencing token, or 0. */
    public long token(int i) {
        return numbers[i * WIDTH + 4];
    }
}
