package io.fenceline.examples.books;

import io.fenceline.FenceStamp;
import io.fenceline.guard.GenerationClock;
import io.fenceline.hibernate.Fencing;
import org.hibernate.SessionFactory;

/** Prices without a lock: each change takes a token when it is asked for, and the last that was asked for wins. */
public final class BookPrices {

    private final SessionFactory sessions;
    private final GenerationClock clock;

    /** Makes the service. */
    public BookPrices(SessionFactory sessions, GenerationClock clock) {
        this.sessions = sessions;
        this.clock = clock;
    }

    /** Puts a book on the list. */
    public void add(Book book) {
        FenceStamp stamp = clock.nextStamp("books");
        sessions.inTransaction(session -> {
            Fencing.in(session).by(stamp);
            session.persist(book);
        });
    }

    /** Gives a change its place among all changes, before it is made. */
    public FenceStamp order() {
        return clock.nextStamp("books");
    }

    /** Changes the price, or throws {@link io.fenceline.guard.StaleTokenException} if a later change was here before. */
    public void change(long book, long price, FenceStamp order) {
        sessions.inTransaction(session -> {
            Fencing.in(session).by(order);
            session.find(Book.class, book).price(price); // UPDATE … WHERE id = ? AND last_fence <= ?
        });
    }

    /** Returns a book as it is now. */
    public Book book(long id) {
        return sessions.fromTransaction(session -> session.find(Book.class, id));
    }
}
