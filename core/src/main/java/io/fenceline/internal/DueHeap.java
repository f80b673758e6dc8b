package io.fenceline.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Binary heap of leases by due time. Each lease knows its index ({@link HeldLease#heapIndex}), so it is removed in logarithmic
 * time. {@link java.util.PriorityQueue} would search linearly; a {@link java.util.TreeSet} costs twice as much for the few leases that
 * most processes hold. Not thread-safe.
 */
final class DueHeap {

    private HeldLease[] heap = new HeldLease[16];
    private int size;

    @Nullable
    HeldLease first() {
        return size == 0 ? null : heap[0];
    }

    /** Adds a lease, or moves it to another due time. */
    void put(HeldLease lease, long dueNanos) {
        remove(lease);
        lease.dueNanos = dueNanos;
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, size * 2);
        }
        siftUp(size++, lease);
    }

    /** Lowers every due time to at most the given one. That keeps the order of the heap. */
    void makeDueBy(long nanos) {
        for (int i = 0; i < size; i++) {
            HeldLease lease = heap[i];
            if (lease.dueNanos - nanos > 0) {
                lease.dueNanos = nanos;
            }
        }
    }

    /** Removes a lease, if it is in the heap. */
    @SuppressWarnings("NullAway") // the slot behind the last lease is never read
    void remove(HeldLease lease) {
        int index = lease.heapIndex;
        if (index < 0) {
            return;
        }
        lease.heapIndex = -1;
        HeldLease last = heap[--size];
        heap[size] = null;
        if (last != lease) {
            siftDown(index, last);
            if (heap[index] == last) {
                siftUp(index, last);
            }
        }
    }

    private void siftUp(int index, HeldLease lease) {
        int at = index;
        while (at > 0 && lease.dueNanos - heap[(at - 1) / 2].dueNanos < 0) {
            place(at, heap[(at - 1) / 2]);
            at = (at - 1) / 2;
        }
        place(at, lease);
    }

    private void siftDown(int index, HeldLease lease) {
        int at = index;
        for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && heap[child + 1].dueNanos - heap[child].dueNanos < 0) {
                child++;
            }
            if (heap[child].dueNanos - lease.dueNanos >= 0) {
                break;
            }
            place(at, heap[child]);
            at = child;
        }
        place(at, lease);
    }

    private void place(int index, HeldLease lease) {
        heap[index] = lease;
        lease.heapIndex = index;
    }
}
