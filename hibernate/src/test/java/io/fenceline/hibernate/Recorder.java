package io.fenceline.hibernate;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.hibernate.Session;
import org.hibernate.resource.jdbc.spi.StatementInspector;

/** Hears the SQL that Hibernate sends. */
public final class Recorder implements StatementInspector {

    private static final long serialVersionUID = 1L;
    private static final List<String> SENT = new CopyOnWriteArrayList<>();

    @Override
    public String inspect(String sql) {
        SENT.add(sql);
        return sql;
    }

    static List<String> record(Database database, Consumer<Session> work) {
        SENT.clear();
        database.sessions().inTransaction(work);
        return List.copyOf(SENT);
    }

    static long writes() {
        return SENT.stream().filter(sql -> !sql.startsWith("select")).count();
    }
}
