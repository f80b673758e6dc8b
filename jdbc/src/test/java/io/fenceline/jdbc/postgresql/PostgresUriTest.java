package io.fenceline.jdbc.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.fenceline.jdbc.syncguard.SyncGuardTables;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresUriTest {

    private Map<String, String> environment = Map.of();

    @Test
    void namesUserPasswordHostPortAndDatabase() {
        PostgresUri uri = parse("postgresql://ann:p%40ss%2Bword+1@db1:6432/app");

        assertThat(uri.jdbcUrl()).isEqualTo("jdbc:postgresql://db1:6432/app");
        assertThat(uri.parameters()).containsEntry("user", "ann").containsEntry("password", "p@ss+word+1");
        assertThat(uri.layout().table().name()).isEqualTo("fenceline_lock");
    }

    @Test
    void takesWhatItDoesNotNameFromTheEnvironment() {
        environment = Map.of("PGUSER", "eve", "PGPASSWORD", "secret", "PGHOST", "db9", "PGPORT", "1234");

        PostgresUri uri = parse("postgresql://");

        assertThat(uri.jdbcUrl()).isEqualTo("jdbc:postgresql://db9:1234/eve");
        assertThat(uri.parameters()).containsEntry("user", "eve").containsEntry("password", "secret");
        assertThat(parse("postgresql://ann:own@db1/app").parameters()).containsEntry("password", "own");
    }

    @Test
    void namesTheVariableWhosePortIsNone() {
        environment = Map.of("PGPORT", "abc");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgresql://"))
                .withMessageContaining("in PGPORT, a port is from 1 to 65535");
    }

    @Test
    void takesSeveralHostsAndLooksForThePrimary() {
        PostgresUri uri = parse("postgres://ann@db1:5432,db2:5433/app?sslmode=require");

        assertThat(uri.jdbcUrl()).isEqualTo("jdbc:postgresql://db1:5432,db2:5433/app");
        assertThat(uri.parameters())
                .containsEntry("targetServerType", "primary")
                .containsEntry("sslmode", "require")
                .containsEntry("connectTimeout", "2")
                .containsEntry("loginTimeout", "22")
                .doesNotContainKey("sslResponseTimeout");
        assertThat(parse("postgresql://db1/app").parameters())
                .containsEntry("connectTimeout", "5")
                .containsEntry("loginTimeout", "5");
        assertThat(parse("postgresql://db1,db2/app?connect_timeout=1&loginTimeout=9")
                        .parameters())
                .containsEntry("connectTimeout", "1")
                .containsEntry("loginTimeout", "9");
    }

    @Test
    void translatesParametersOfThePsqlCommandAndKeepsThoseOfTheDriver() {
        PostgresUri uri = parse("postgresql://db/app?application_name=billing&connect_timeout=3&prepareThreshold=0"
                + "&target_session_attrs=read-write&table=app.locks&user=ann");

        assertThat(uri.parameters())
                .containsEntry("ApplicationName", "billing")
                .containsEntry("connectTimeout", "3")
                .containsEntry("prepareThreshold", "0")
                .containsEntry("targetServerType", "primary")
                .containsEntry("user", "ann")
                .doesNotContainKeys("table", "target_session_attrs");
        assertThat(uri.layout().table().name()).isEqualTo("app.locks");
    }

    @Test
    void namesTheTablesOfSyncGuard() {
        assertThat(parse("postgresql://db/app?layout=syncguard").layout())
                .isEqualTo(new SyncGuardTables("syncguard_locks", "syncguard_fence_counters"));
        PostgresUri named = parse("postgresql://db/app?layout=syncguard&table=app.locks&fences=app.fences");
        assertThat(named.layout()).isEqualTo(new SyncGuardTables("app.locks", "app.fences"));
        assertThat(named.parameters()).doesNotContainKeys("layout", "table", "fences");
    }

    @ParameterizedTest
    @ValueSource(strings = {"layout=other", "fences=fences", "layout=syncguard&table=a&fences=a"})
    void namesNoOtherTables(String parameters) {
        assertThatIllegalArgumentException().isThrownBy(() -> parse("postgresql://db/app?" + parameters));
    }

    @ParameterizedTest
    @CsvSource({
        "fence=secret,                            fence,          fences",
        "layout=syncguard&table=a&fence=secret,   fence,          fences",
        "layout=syncguard&tableName=secret,       tableName,      table",
        "layout=syncguard&fenceTableName=secret,  fenceTableName, fences",
        "Layout=secret,                           Layout,         layout",
        "sslmod=secret,                           sslmod,         sslmode",
        "target_session_attr=any,                 target_session_attr, target_session_attrs"
    })
    void refusesAParameterThatNobodyKnows(String parameters, String name, String meant) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgresql://db/app?" + parameters))
                .withMessageContaining("'" + name + "', did you mean '" + meant + "'?")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }

    @Test
    void hasNoAdviceForAParameterThatIsLikeNoOther() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("postgresql://db/app?keyPrefixes=my"))
                .withMessageContaining("'keyPrefixes';");
    }

    @Test
    void doesNotShowThePassword() {
        assertThat(parse("postgresql://ann:secret@db1/app")).hasToString("postgresql://db1/app as ann");
    }

    @ParameterizedTest
    @ValueSource(strings = {"postgresql:secret@db", "postgresql://ann:secret%zz@db/app", "postgresql://db/app?secret"})
    void saysWhatIsWrongWithoutRepeatingTheUri(String bad) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse(bad))
                .withMessageContaining("postgresql://USER@HOST:PORT/DATABASE")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }

    private PostgresUri parse(String text) {
        return PostgresUri.parse(text, name -> environment.getOrDefault(name, ""));
    }
}
