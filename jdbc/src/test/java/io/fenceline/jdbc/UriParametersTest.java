package io.fenceline.jdbc;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.Backends;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A parameter that neither we nor the driver know is refused before anything is asked. */
class UriParametersTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://h:99999/db",
                "postgresql://a:5432,b:0/db",
                "postgresql://h:abc/db",
                "postgresql://h:/db",
                "postgresql://[::1]:x/db",
                "mariadb://h:70000/db",
                "mariadb://h:abc/db"
            })
    void arePortsFrom1To65535(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backends.open(uri))
                .withMessageContaining("a port is from 1 to 65535");
    }

    @ParameterizedTest
    @CsvSource({
        "mariadb://127.0.0.1:1/db?tabel=x,                'tabel', did you mean 'table'?",
        "mariadb://127.0.0.1:1/db?socketTimeot=1,         'socketTimeot', did you mean 'socketTimeout'?",
        "mysql://127.0.0.1:1/db?tabel=x,                  the mysql: URI is malformed: it has the unknown parameter 'tabel'",
        "mariadb://127.0.0.1:1/db?layout=syncguard,       SyncGuard keeps its tables on PostgreSQL",
        "mysql://127.0.0.1:1/db?layout=syncguard,         SyncGuard keeps its tables on PostgreSQL",
        "h2:mem:x?layout=syncguard,                       SyncGuard keeps its tables on PostgreSQL",
        "h2:mem:x?tabel=x,                                'tabel', did you mean 'table'?",
        "h2:mem:,                                         a database in memory needs a name",
        "h2:./x;IFEXISTS=FALSE,                           IFEXISTS cannot be set",
        "h2:mem:x?size=3,                                 'size', known are user, password, table",
        "mariadb://127.0.0.1:1/db?table=x&table=y,        the parameter 'table' is given twice",
        "memory:?table=x,                                 write just 'memory:'"
    })
    void isRefused(String uri, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backends.open(uri))
                .withMessageContaining(message);
    }

    @Test
    void noOtherNameIsProposedForOneThatIsLikeNone() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Backends.open("mariadb://127.0.0.1:1/db?foo=x"))
                .withMessageContaining("the unknown parameter 'foo'")
                .withMessageNotContaining("did you mean");
    }
}
