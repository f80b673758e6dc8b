package io.fenceline.jdbc.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.BackendException;
import io.fenceline.ErrorCode;
import java.sql.SQLNonTransientConnectionException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MariaDbErrorsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "(conn=13) Failed load keyStore | see serverSslCert, keyStore",
                "(conn=22) Failed to read keyStore file. Option keyStore=none.p12 | see serverSslCert, keyStore",
                "Failed to find trustStore file. trustStore=none.p12 | see serverSslCert, keyStore",
                "Cannot use authentication plugin mysql_native_password with a Self signed certificates | name the certificate",
                "ssl not enabled in the server | leave sslMode out"
            })
    void aMistakeInTheTlsParametersIsNoOutage(String driversWords, String remedy) {
        BackendException told = new MariaDbErrors("MariaDB")
                .unreachable(new SQLNonTransientConnectionException(driversWords, "08000", 0));

        assertThat(told)
                .returns(ErrorCode.MISCONFIGURED, BackendException::code)
                .hasMessageContaining(remedy);
    }
}
