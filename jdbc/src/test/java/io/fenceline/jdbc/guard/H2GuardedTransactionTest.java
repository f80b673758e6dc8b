package io.fenceline.jdbc.guard;

import java.sql.SQLException;

class H2GuardedTransactionTest extends EndingInTheMiddleContract {

    @Override
    GuardPlace newPlace() {
        return new H2Place();
    }

    @Override
    SQLException conflict() {
        return new SQLException("Deadlock detected", "40001", 40001);
    }

    @Override
    void awaitBlocked() {
        // H2 tells nobody who waits for a row; that the claim sees the line is what counts.
    }
}
