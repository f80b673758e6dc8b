package io.fenceline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fenceline.cli.context.ProcessEnvironment;
import io.fenceline.cli.context.StoreUri;
import io.fenceline.cli.output.ExitCode;
import io.fenceline.cli.output.StandardOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a command fails. */
class ErrorsTest extends CommandTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "64 | no command 'exce'; did you mean 'exec'? | exce k -- true",
                "64 | Unknown option: '--jsn'; did you mean '--json'?  | ls --jsn",
                "64 | write -- before the command: fenceline exec k -- sort | exec k sort file",
                "64 | write -- before the command: fenceline exec k -- sort | exec k sort -- file",
                "64 | CMD is missing: fenceline exec k -- CMD     | exec k",
                "64 | CMD is missing: fenceline exec k -- CMD     | exec k --",
                "64 | CMD is missing: fenceline exec -- -k -- CMD | exec -- -k",
                "64 | KEY is missing: fenceline exec KEY -- echo hi | exec -- echo hi",
                "64 | KEY is missing: fenceline exec KEY -- echo  | exec -n -- echo",
                "64 | CMD is missing: fenceline exec -- env -- CMD | exec -- env --",
                "64 | '30x' is not a duration such as 30s               | exec --ttl 30x k -- true",
                "64 | --ttl must be at least 1.0s, it is 10ms           | exec --ttl 10ms k -- true",
                "64 | '-3' is not a duration such as 30s                | exec -w -3 k -- true",
                "64 | -E 256 is not an exit code                        | exec -E 256 k -- true",
                "64 | -n and -w are mutually exclusive                  | exec -n -w 1 k -- true",
                "64 | more than a third of the ttl                      | exec --kill-after 11s k -- true",
                "64 | write -- before the command: fenceline elect g -- sort | elect g sort file",
                "64 | CMD is missing: fenceline elect g -- CMD    | elect g",
                "64 | GROUP is missing: fenceline elect GROUP -- echo | elect -- echo",
                "64 | --for and --until-signal are mutually exclusive   | hold --for 1 --until-signal k",
                "64 | standard input has ended already                  | hold k",
                "64 | exists in one process only                        | ls --backend h2:mem:x",
                "64 | --at-least must be at most 365 days, it is 400d   | exec --at-least 400d k -- true",
                "64 | --ttl must be at most 365 days, it is 400d        | exec --ttl 400d k -- true",
                "64 | fenceline: Missing required argument (specify one | token bump k",
                "64 | --ttl must be at least 1.0s, it is 10ms           | elect --ttl 10ms g -- true",
                "64 | more than a third of the ttl                      | elect --kill-after 11s g -- true",
                "64 | '-1s' is not a duration such as 30s               | elect --hesitate -1s g -- true",
                "64 | Unknown option: '-n'                              | elect -n g -- true",
                "64 | a KEY that begins with a hyphen follows --        | show -k",
                "64 | a KEY that begins with a hyphen follows --        | hold -x --for 1",
                "64 | --ttl must be at least 1.0s, it is 0ms            | demo --ttl 0",
                "64 | has the tables of its own product                 | schema print --for sharded",
                "64 | at most 365 days                                  | demo --ttl 400d",
                "64 | leave --backend out                               | demo --backend postgresql://127.0.0.1:1/nothing",
                "64 | options come before --                            | hold -- -x --for 1",
                "64 | a KEY that begins with a hyphen follows --        | exec -x -- true",
                "127 | no-such-command: command not found               | elect g -- no-such-command",
                "64 | --limit 0 is out of range                         | leaders --limit 0",
                "64 | no backend for 'foo:bar'; known are:                     | ls --backend foo:bar",
                "64 | no backend for 'foo://***@h/db'; known are:     | ls --backend foo://u:secret@h/db",
                "64 | write postgresql://USER@HOST:PORT/DATABASE      | ls --backend postgresql:host",
                "64 | 'redis:***@h' is not a valid Redis URI: write redis://HOST:PORT | ls --backend redis:u:secret@h",
                "64 | name the master that the Sentinels watch        | ls --backend redis-sentinel://u:secret@h",
                "64 | a port is from 1 to 65535                       | ls --backend redis://h:70000",
                "64 | no backend for 'sqlserver://h/db'; known are:        | ls --backend sqlserver://h/db",
                "64 | exists in one process only                        | ls --backend memory:",
                "64 | exists in one process only                        | ls --backend sharded:1\ta=memory:\tb=h2:mem:y",
                "64 | names no file                                     | ls --backend sqlite:",
                "69 | the folder /no/such does not exist                | ls --backend sqlite:/no/such/locks.db",
                "64 | not a lock id: 'x'                                | release --lock-id x",
                "64 | --limit 0 is out of range                         | ls --limit 0",
            })
    void isOneLineThatNamesTheInput(int exitCode, String message, String line) {
        CommandRun run = store.run(line.split(" "));
        assertThat(run.err()).startsWith("fenceline: ").contains(message).hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(exitCode);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void ofAKeyNamesWhatIsWrongWithIt() {
        assertThat(store.run("exec", "", "--", "true").err()).contains("lock key is empty");
        assertThat(store.run("exec", "k".repeat(513), "--", "true").err()).contains("513 bytes");
        assertThat(store.run("show", "\ud800").err()).contains("lone surrogate");
    }

    @Test
    void ofAGroupNamesWhatIsWrongWithIt() {
        assertThat(store.run("elect", "", "--", "true").err()).contains("the group's name is empty");
        assertThat(store.run("elect", "g".repeat(504), "--", "true").err()).contains("513 bytes");
    }

    @Test
    void isAnArgumentThatTheLocaleCannotExpress() {
        CommandRun lossy = store.run("exec", "\ufffd\ufffd", "--", "true");
        assertThat(lossy.exitCode()).isEqualTo(ExitCode.USAGE);
        assertThat(lossy.err()).contains("LC_ALL=C.UTF-8").hasLineCount(1);
    }

    @Test
    void comesWithItsStackTraceIfAskedFor() {
        assertThat(store.run("--debug", "ls", "--backend", "memory:").err()).contains("\tat io.fenceline.cli");
        assertThat(CommandRun.of(Map.of("FENCELINE_DEBUG", "1"), "", "ls", "--backend", "memory:")
                        .err())
                .contains("\tat io.fenceline.cli");
    }

    @ParameterizedTest
    @CsvSource({
        "redis://user:secret@host:1/0,                   redis://***@host:1/0,                 redis://user@host:1/0",
        "redis://:se@cr/et?@host:1/0,                    redis://***@host:1/0,                 redis://host:1/0",
        "postgresql://h/db?user=u&password=secret&ssl=1, postgresql://h/db?user=u&password=***&ssl=1,"
                + " postgresql://h/db?user=u&ssl=1",
        "postgresql://h/db?sslpassword=secret,           postgresql://h/db?sslpassword=***,    postgresql://h/db",
        "postgresql://u@h/db,                            postgresql://***@h/db,                postgresql://u@h/db",
        "redis:user:secret@host,                         redis:***@host,                       redis:user:secret@host",
        "sqlite:/home/u@h/locks.db,                      sqlite:/home/u@h/locks.db,            sqlite:/home/u@h/locks.db",
        "postgresql//user:secret@host/db,                postgresql//user:***@host/db, postgresql//user:secret@host/db",
        "user:secret@host/db,                            user:***@host/db,                     user:secret@host/db",
        "sharded:1 a=redis://:secret@h b=redis://x:secret@i, sharded:1 a=redis://***@h b=redis://***@i,"
                + " sharded:1 a=redis://h b=redis://x@i",
        "sharded:1 a=redis://:se cret@h b=redis://i, sharded:***@h b=redis://i, sharded:1 a=redis://:se cret@h b=redis://i",
        "redis-sentinel://:pw@h?sentinelPassword=a%26b#main, redis-sentinel://***@h?sentinelPassword=***#main,"
                + " redis-sentinel://h#main",
        "postgresql://h/db?password=a#b,                 postgresql://h/db?password=***,       postgresql://h/db",
        "postgresql://h:1/db?user=ann@corp,              postgresql://***@corp,                postgresql://h:1/db?user=ann@corp",
        "postgresql://u:s@h/db?ApplicationName=a@b,      postgresql://***@b,                   postgresql://u@h/db?ApplicationName=a@b",
    })
    void doesNotShowThePasswordOfAStoreNorHandItOn(String uri, String shown, String handedOn) {
        StoreUri address = new StoreUri(uri);
        assertThat(address.toString()).isEqualTo(shown);
        ProcessEnvironment elsewhere = environment(Map.of("FENCELINE_BACKEND", "sqlite:/other"));
        assertThat(address.uriForChild(elsewhere)).isEqualTo(handedOn);
        ProcessEnvironment here = environment(Map.of("FENCELINE_BACKEND", uri));
        assertThat(address.uriForChild(here)).isEqualTo(uri);
    }

    @Test
    void nameTheFileForACommandThatChangesItsFolder() {
        ProcessEnvironment here = environment(Map.of("FENCELINE_BACKEND", "sqlite:locks.db"));
        assertThat(new StoreUri("sqlite:locks.db").uriForChild(here))
                .isEqualTo("sqlite:" + Path.of("locks.db").toAbsolutePath());
        assertThat(new StoreUri("sqlite:~/locks.db").uriForChild(here)).isEqualTo("sqlite:~/locks.db");
        Path locks = Path.of("locks").toAbsolutePath();
        assertThat(new StoreUri("h2:./locks;AUTO_SERVER=TRUE?user=u&password=p").uriForChild(here))
                .isEqualTo("h2:" + locks + ";AUTO_SERVER=TRUE?user=u");
        assertThat(new StoreUri("h2:file:locks").uriForChild(here)).isEqualTo("h2:file:" + locks);
        assertThat(new StoreUri("h2:tcp://h/locks").uriForChild(here)).isEqualTo("h2:tcp://h/locks");
        assertThat(new StoreUri("h2:~/locks").uriForChild(here)).isEqualTo("h2:~/locks");
        assertThat(new StoreUri("sharded:2 a=sqlite:x.db b=sqlite:/y.db").uriForChild(here))
                .isEqualTo("sharded:2 a=sqlite:" + Path.of("x.db").toAbsolutePath() + " b=sqlite:/y.db");
    }

    @ParameterizedTest
    @CsvSource({
        "ls",
        "ls --json",
        "show k",
        "schema check",
        "token show k",
        "hold --until-signal k",
        "schema print",
        "leaders",
        "doctor",
        "completion",
        "--help"
    })
    void isToldWhereStandardOutputCannotBeWritten(String command) {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        StringWriter errors = new StringWriter();

        int exitCode = run(new PrintWriter(new StandardOutput(full)), errors, command.split(" "));

        assertThat(errors.toString()).contains("cannot write to standard output");
        assertThat(exitCode).isNotIn(0, 1, 2);
    }

    @Test
    void isNotThatAReaderHasReadEnough() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        StringWriter errors = new StringWriter();

        assertThat(run(new PrintWriter(new StandardOutput(closed)), errors, "ls"))
                .isZero();
        assertThat(errors.toString()).isEmpty();
    }

    @Test
    void ofTheJvmIsNotToldAsALockThatIsTaken() {
        PrintWriter full = new PrintWriter(Writer.nullWriter()) {
            @Override
            public void println(String line) {
                throw new NoClassDefFoundError("too many open files");
            }
        };
        StringWriter errors = new StringWriter();

        assertThat(run(full, errors, "ls")).isEqualTo(ExitCode.INTERNAL);
        assertThat(errors.toString()).contains("too many open files").hasLineCount(1);
    }

    private int run(PrintWriter output, StringWriter errors, String... command) {
        Map<String, String> variables = Map.of("FENCELINE_BACKEND", store.uri());
        return Fenceline.run(
                new ProcessEnvironment(
                        variables, InputStream.nullInputStream(), output, new PrintWriter(errors, true), false),
                command);
    }

    private static ProcessEnvironment environment(Map<String, String> variables) {
        PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
        return new ProcessEnvironment(variables, InputStream.nullInputStream(), nowhere, nowhere, false);
    }
}
