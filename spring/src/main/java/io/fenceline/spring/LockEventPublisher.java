package io.fenceline.spring;

import static java.util.Objects.requireNonNull;

import io.fenceline.telemetry.LockEvent;
import io.fenceline.telemetry.LockListener;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes the events of locks, guards and elections as application events, on the thread of the event: {@code @EventListener void
 * on(LockEvent.Lost lost)}. An exception of an application's listener is logged and ignored.
 */
public final class LockEventPublisher implements LockListener {

    private final ApplicationEventPublisher publisher;

    /**
     * Creates a listener of locks.
     *
     * @param publisher of the application
     */
    public LockEventPublisher(ApplicationEventPublisher publisher) {
        this.publisher = requireNonNull(publisher, "publisher");
    }

    @Override
    public void on(LockEvent event) {
        publisher.publishEvent(event);
    }
}
