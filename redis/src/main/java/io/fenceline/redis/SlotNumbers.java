package io.fenceline.redis;

import io.lettuce.core.cluster.SlotHash;

/** Table of the smallest number that hashes to each cluster slot. */
final class SlotNumbers {

    private static final int[] NUMBERS = numbers();

    private SlotNumbers() {}

    static int in(int slot) {
        return NUMBERS[slot];
    }

    private static int[] numbers() {
        int[] numbers = new int[SlotHash.SLOT_COUNT];
        for (int number = 1, empty = numbers.length; empty > 0; number++) {
            int slot = SlotHash.getSlot(Integer.toString(number));
            if (numbers[slot] == 0) {
                numbers[slot] = number;
                empty--;
            }
        }
        return numbers;
    }
}
