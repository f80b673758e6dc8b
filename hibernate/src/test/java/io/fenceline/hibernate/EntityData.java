package io.fenceline.hibernate;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.FenceStamp;
import io.fenceline.guard.FenceGuard;
import io.fenceline.guard.RefusedWriteException;
import io.fenceline.testkit.GuardedData;
import java.util.Optional;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.SessionFactory;

/** Texts in entities. What a rival did between the read and the write is tried again, as an application does. */
record EntityData(SessionFactory sessions, Class<? extends Text> type, FenceGuard guard) implements GuardedData {

    private static final int ATTEMPTS = 100;

    @Override
    public void write(String resource, FenceStamp stamp, String value) {
        inTransaction(stamp, session -> {
            Text row = session.find(type, resource);
            if (row == null) {
                Text made = made(resource);
                made.text(value);
                session.persist(made);
            } else {
                row.text(value);
            }
        });
    }

    private Text made(String resource) {
        try {
            Text made = type.getDeclaredConstructor().newInstance();
            made.name(resource);
            return made;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void delete(String resource, FenceStamp stamp) {
        inTransaction(stamp, session -> {
            Text row = session.find(type, resource);
            if (row == null) {
                Fencing.in(session).enter(resource);
            } else {
                session.remove(row);
            }
        });
    }

    @Override
    public Optional<String> read(String resource) {
        return sessions.fromSession(
                session -> Optional.ofNullable(session.find(type, resource)).map(Text::text));
    }

    void inTransaction(FenceStamp stamp, Consumer<Session> work) {
        for (int attempt = 1; ; attempt++) {
            try {
                sessions.inTransaction(session -> {
                    Fencing.in(session).by(stamp);
                    work.accept(session);
                });
                return;
            } catch (RuntimeException failure) {
                Optional<RefusedWriteException> refusal = Fencing.refusal(failure);
                if (refusal.isPresent()) {
                    throw refusal.get();
                }
                assertThat(attempt).as("attempts; " + failure).isLessThan(ATTEMPTS);
            }
        }
    }
}
