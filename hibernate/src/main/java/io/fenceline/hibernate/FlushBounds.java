package io.fenceline.hibernate;

import org.hibernate.event.spi.AutoFlushEventListener;
import org.hibernate.event.spi.FlushEventListener;

/** Notifies a session's fences of the beginning and end of a flush. */
record FlushBounds(FenceGate gate) {

    FlushEventListener beginning() {
        return event -> gate.fences(event.getSession()).beginFlush();
    }

    FlushEventListener end() {
        return event -> gate.fences(event.getSession()).endFlush();
    }

    AutoFlushEventListener beginningOfAuto() {
        return event -> gate.fences(event.getSession()).beginFlush();
    }

    AutoFlushEventListener endOfAuto() {
        return event -> gate.fences(event.getSession()).endFlush();
    }
}
