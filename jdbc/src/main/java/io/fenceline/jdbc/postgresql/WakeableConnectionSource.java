package io.fenceline.jdbc.postgresql;

import io.fenceline.jdbc.product.ListenConnectionSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A connection that we open ourselves, on a {@link WakeableSocket}. */
final class WakeableConnectionSource implements ListenConnectionSource {

    private final PostgresUri uri;
    private volatile @Nullable WakeableSocket socket;

    WakeableConnectionSource(PostgresUri uri) {
        this.uri = uri;
    }

    @Override
    public Connection open() throws SQLException {
        String ticket = UUID.randomUUID().toString();
        Properties properties = uri.properties();
        properties.setProperty("ApplicationName", properties.getProperty("ApplicationName") + " signals");
        properties.setProperty("socketFactory", WakeableSocketFactory.class.getName());
        properties.setProperty("socketFactoryArg", ticket);
        try {
            return DriverManager.getConnection(uri.jdbcUrl(), properties);
        } finally {
            socket = WakeableSocketFactory.collect(ticket);
        }
    }

    @Override
    public Duration stretch() {
        return Duration.ofSeconds(1);
    }

    @Override
    public void wake() {
        WakeableSocket current = socket;
        if (current != null) {
            current.wake();
        }
    }

    @Override
    public void reading(boolean waits) {
        WakeableSocket current = socket;
        if (current != null) {
            current.wakeable(waits);
        }
    }
}
