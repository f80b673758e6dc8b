package io.fenceline.jdbc.product;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import io.fenceline.jdbc.sql.DriverErrors;
import java.net.SocketTimeoutException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class UriPoolTest {

    /** After as many failures the pauses of HikariCP add up to 10 s, which is longer than a caller waits. */
    private static final int LONG_OUTAGE = 11;

    private final RestartedServer server = new RestartedServer();

    @BeforeEach
    void register() throws SQLException {
        DriverManager.registerDriver(server);
    }

    @AfterEach
    void deregister() throws SQLException {
        DriverManager.deregisterDriver(server);
    }

    @Test
    @Tag("L3")
    void whoeverWaitsForAConnectionGetsOneSoonAfterAnOutage() throws SQLException {
        OpenedDatabase database = open();
        loseConnections(database);
        server.refusals.set(LONG_OUTAGE);

        try (Connection connection = ConnectionSource.of(database.source()).open(5_000)) {
            assertThat(connection.isValid(0)).isTrue();
        } finally {
            database.closing().run();
        }
    }

    @ParameterizedTest
    @MethodSource
    @Tag("L3")
    void soonAlsoAfterOtherTroubleThatPasses(SQLException trouble) throws SQLException {
        server.refusal = trouble;

        whoeverWaitsForAConnectionGetsOneSoonAfterAnOutage();
    }

    static List<SQLException> soonAlsoAfterOtherTroubleThatPasses() {
        return List.of(
                new SQLTransientConnectionException("too many clients already", "53300"),
                new SQLNonTransientConnectionException("no answer", "08001", new SocketTimeoutException()));
    }

    @Test
    @Tag("G10")
    void eachWhoWaitsInVainIsToldWhy() {
        OpenedDatabase database = open();
        loseConnections(database);
        server.refusals.set(Integer.MAX_VALUE);
        ConnectionSource connections = ConnectionSource.of(database.source());

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> connections.open(300)).hasRootCauseMessage("it is being restarted");
        }
        database.closing().run();
    }

    @Test
    @Tag("G10")
    void anOutageThatIsOverIsNotWhyAllConnectionsAreInUse() throws SQLException {
        OpenedDatabase database = open();
        loseConnections(database);
        server.refusals.set(1);
        ConnectionSource connections = ConnectionSource.of(database.source());
        lendAll(database, connections);

        assertThatThrownBy(() -> connections.open(300)).hasNoCause();
        database.closing().run();
    }

    /** On Java 17 it would be able to spin there when the wait of another ends, and to come back late. */
    @Test
    @Tag("L5")
    void oneThreadAtATimeWaitsInThePoolDuringAnOutage() throws Exception {
        OpenedDatabase database = open();
        loseConnections(database);
        server.refusals.set(Integer.MAX_VALUE);
        ConnectionSource connections = ConnectionSource.of(database.source());

        List<FutureTask<Connection>> waits = startWaiters(connections);

        assertThat(awaiting(database)).isEqualTo(1);
        server.refusals.set(0);
        for (FutureTask<Connection> wait : waits) {
            assertThat(wait.get().isValid(0)).isTrue();
        }
        database.closing().run();
    }

    private static List<FutureTask<Connection>> startWaiters(ConnectionSource connections) {
        List<FutureTask<Connection>> waits = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            FutureTask<Connection> wait = new FutureTask<>(() -> connections.open(30_000));
            waits.add(wait);
            Thread waiter = new Thread(wait);
            waiter.start();
            await().until(() -> waiter.getState() == Thread.State.TIMED_WAITING);
        }
        return waits;
    }

    @Test
    @Tag("G10")
    void whoWaitsBehindAnotherIsToldWhyAsWell() throws Exception {
        OpenedDatabase database = open();
        loseConnections(database);
        server.refusals.set(Integer.MAX_VALUE);
        ConnectionSource connections = ConnectionSource.of(database.source());
        FutureTask<Connection> first = new FutureTask<>(() -> connections.open(5_000));
        new Thread(first).start();
        await().until(() -> awaiting(database) == 1);

        assertThatThrownBy(() -> connections.open(300))
                .hasMessageContaining("no connection was made")
                .hasRootCauseMessage("it is being restarted");
        assertThatThrownBy(first::get).hasRootCauseMessage("it is being restarted");
        database.closing().run();
    }

    private static List<Connection> lendAll(OpenedDatabase database, ConnectionSource connections) throws SQLException {
        List<Connection> lent = new ArrayList<>();
        for (int i = ((HikariDataSource) database.source()).getMaximumPoolSize(); i > 0; i--) {
            lent.add(connections.open(5_000));
        }
        return lent;
    }

    private static int awaiting(OpenedDatabase database) {
        return ((HikariDataSource) database.source()).getHikariPoolMXBean().getThreadsAwaitingConnection();
    }

    /** As many threads as there are connections wait for a server that is silent; the next one has not heard of it. */
    @Test
    @Tag("G10")
    void whoWaitsBehindAnotherForASilentServerIsNotToldThatConnectionsAreInUse() throws Exception {
        OpenedDatabase database = open();
        loseConnections(database);
        server.silence = new CountDownLatch(1);
        ConnectionSource connections = ConnectionSource.of(database.source());
        new Thread(new FutureTask<>(() -> connections.open(5_000))).start();
        await().until(() -> awaiting(database) == 1);

        SQLException late = catchThrowableOfType(SQLException.class, () -> connections.open(300));

        assertThat(DriverErrors.ofUnknownProduct().unreachable(late).code()).isEqualTo(ErrorCode.SERVICE_UNAVAILABLE);
        server.silence.countDown();
        database.closing().run();
    }

    @Test
    void aServerIsNotAskedWhileNobodyWaits() {
        OpenedDatabase database = open();
        loseConnections(database);
        server.refusals.set(Integer.MAX_VALUE);
        ConnectionSource connections = ConnectionSource.of(database.source());
        assertThatThrownBy(() -> connections.open(300)).isInstanceOf(SQLException.class);

        await().until(UriPoolTest::nobodyConnects);
        database.closing().run();
    }

    @Test
    void norOnceThePoolIsClosed() throws InterruptedException {
        OpenedDatabase database = open();
        loseConnections(database);
        server.refusals.set(Integer.MAX_VALUE);
        server.closed = ((HikariDataSource) database.source())::isClosed;
        int before = server.attempts.get();
        Thread waiter = new Thread(() ->
                assertThatThrownBy(() -> ConnectionSource.of(database.source()).open(3_000)));
        waiter.start();
        await().until(() -> server.attempts.get() > before);

        database.closing().run();

        waiter.join();
        assertThat(server.attemptsAfterClose).hasValueLessThanOrEqualTo(1);
    }

    @Test
    void aRefusedPasswordIsTriedMoreAndMoreSeldom() {
        OpenedDatabase database = open();
        loseConnections(database);
        server.refusal = new SQLInvalidAuthorizationSpecException("wrong password", "28P01");
        server.refusals.set(Integer.MAX_VALUE);

        assertThatThrownBy(() -> ConnectionSource.of(database.source()).open(3_000))
                .hasRootCauseMessage("wrong password");

        assertThat(server.attempts).hasValueLessThan(13); // every 200 ms would be 15
        database.closing().run();
    }

    private static boolean nobodyConnects() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .noneMatch(frame -> frame.getClassName().equals(PromptDriver.class.getName()));
    }

    @Test
    void aServerThatIsAwayFailsTheOpeningAtOnce() {
        server.refusals.set(Integer.MAX_VALUE);

        assertThatThrownBy(this::open)
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("it is being restarted");
        assertThat(server.attempts).hasValue(1);
    }

    private OpenedDatabase open() {
        return UriPool.open(
                RestartedServer.URL,
                new Properties(),
                DriverErrors.ofUnknownProduct(),
                Optional.empty(),
                new LockTable(LockTable.DEFAULT_NAME));
    }

    private static void loseConnections(OpenedDatabase database) {
        ((HikariDataSource) database.source()).getHikariPoolMXBean().softEvictConnections();
    }

    /** A server that refuses a number of connections. */
    private static final class RestartedServer implements Driver {

        static final String URL = "jdbc:restarted:server";

        final AtomicInteger refusals = new AtomicInteger();
        final AtomicInteger attempts = new AtomicInteger();
        final AtomicInteger attemptsAfterClose = new AtomicInteger();
        volatile BooleanSupplier closed = () -> false;
        volatile CountDownLatch silence = new CountDownLatch(0);
        volatile SQLException refusal = new SQLNonTransientConnectionException("it is being restarted", "08001");

        @Override
        public @Nullable Connection connect(String url, Properties info) throws SQLException {
            if (!acceptsURL(url)) {
                return null;
            }
            attempts.incrementAndGet();
            if (closed.getAsBoolean()) {
                attemptsAfterClose.incrementAndGet();
            }
            awaitEndOfSilence();
            if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw refusal;
            }
            return DriverManager.getConnection("jdbc:h2:mem:");
        }

        private void awaitEndOfSilence() throws SQLException {
            try {
                silence.await();
            } catch (InterruptedException e) {
                throw new SQLException(e);
            }
        }

        @Override
        public boolean acceptsURL(String url) {
            return url.equals(URL);
        }

        @Override
        public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
            return new DriverPropertyInfo[0];
        }

        @Override
        public int getMajorVersion() {
            return 1;
        }

        @Override
        public int getMinorVersion() {
            return 0;
        }

        @Override
        public boolean jdbcCompliant() {
            return false;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getGlobal();
        }
    }
}
