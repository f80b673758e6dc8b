package io.fenceline.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Histories made by hand: the checker passes what is right and finds what is wrong. */
class WriteHistoryTest {

    @TempDir
    Path folder;

    private final List<Path> logs = new ArrayList<>();

    @Test
    void passesATakeoverInWhichTheOldHolderIsRefused() throws IOException {
        log("claimed 1 10", "writing 1 - A.1 11", "accepted 12", "writing 1 A.1 A.2 13", "refused 40");
        log("claimed 2 20", "writing 2 A.1 B.1 21", "accepted 22", "writing 2 B.1 B.2 23", "accepted 24");

        WriteHistory history = WriteHistory.read(logs);

        assertThat(history.staleWrites()).isEmpty();
        assertThat(history.lostWrites("B.2")).isEmpty();
        assertThat(history.accepted()).isEqualTo(3);
        assertThat(history.refused()).isEqualTo(1);
    }

    @Test
    void passesAHistoryWithoutWrites() throws IOException {
        log("claimed 1 10");

        assertThat(WriteHistory.read(logs).staleWrites()).isEmpty();
        assertThat(WriteHistory.read(logs).lostWrites("-")).isEmpty();
    }

    @Test
    void passesAWriteThatWasUnderWayWhenAGreaterTokenCame() throws IOException {
        log("claimed 1 10", "writing 1 - A.1 11", "accepted 40");
        log("claimed 2 30", "writing 2 A.1 B.1 31", "accepted 32");

        assertThat(WriteHistory.read(logs).staleWrites()).isEmpty();
        assertThat(WriteHistory.read(logs).lostWrites("B.1")).isEmpty();
    }

    @Test
    void findsAWriteAfterAWriteWithAGreaterToken() throws IOException {
        log("claimed 1 10", "writing 1 B.1 A.1 40", "accepted 41");
        log("writing 2 - B.1 21", "accepted 22");

        assertThat(WriteHistory.read(logs).staleWrites())
                .containsExactly("A.1 with token 1 was accepted after write B.1 with token 2");
        assertThat(WriteHistory.read(logs).lostWrites("A.1"))
                .containsExactly("A.1 with token 1 was accepted after B.1 with token 2");
    }

    @Test
    void findsAWriteAfterAClaimWithAGreaterToken() throws IOException {
        log("claimed 1 10", "writing 1 - A.1 40", "accepted 41");
        log("claimed 2 39");

        assertThat(WriteHistory.read(logs).staleWrites())
                .containsExactly("A.1 with token 1 was accepted after the claim with token 2");
    }

    @Test
    void findsAWriteThatOverwroteWhatItHadNotRead() throws IOException {
        log("claimed 1 10", "writing 1 - A.1 11", "accepted 12", "writing 1 A.1 A.2 13", "accepted 40");
        log("claimed 2 20", "writing 2 A.1 B.1 21", "accepted 22");

        assertThat(WriteHistory.read(logs).lostWrites("A.2"))
                .containsExactly(
                        "B.1 with token 2 and A.2 with token 1 were both built on A.1, so one of them is lost");
    }

    @Test
    void findsAWriteThatWasAcceptedAndIsNotThere() throws IOException {
        log("claimed 1 10", "writing 1 - A.1 11", "accepted 12", "writing 1 A.1 A.2 13", "accepted 14");

        assertThat(WriteHistory.read(logs).lostWrites("A.1"))
                .containsExactly("the last accepted write was A.2, but the final text is A.1");
        assertThat(WriteHistory.read(logs).lostWrites("-")).hasSize(1);
    }

    @Test
    void findsAWriteThatWasRefusedAndMade() throws IOException {
        log("claimed 1 10", "writing 1 - A.1 11", "refused 12");
        log("claimed 2 20", "writing 2 A.1 B.1 21", "accepted 22");

        assertThat(WriteHistory.read(logs).lostWrites("B.1"))
                .containsExactly("B.1 with token 2 was built on A.1, which was never accepted");
    }

    @Test
    void findsARefusedWriteThatIsTheFinalText() throws IOException {
        log("claimed 1 10", "writing 1 - A.1 11", "accepted 12", "writing 1 A.1 A.2 13", "refused 14");

        assertThat(WriteHistory.read(logs).lostWrites("A.2")).hasSize(1);
    }

    @Test
    void findsWritesThatOnlyRestOnOneAnother() throws IOException {
        log("writing 1 A.2 A.1 11", "accepted 12", "writing 1 A.1 A.2 13", "accepted 14");

        assertThat(WriteHistory.read(logs).lostWrites("-"))
                .containsExactly("2 accepted writes are not in the chain, which ends with -");
    }

    @Test
    void takesAWriteWithoutAnAnswerAsMadeIfItWasSeen() throws IOException {
        log("claimed 1 10", "writing 1 - A.1 11", "writing 1 A.1 A.2 13", "accepted 14");
        assertThat(WriteHistory.read(logs).lostWrites("A.2")).isEmpty();

        log("claimed 2 20", "writing 2 A.2 B.1 21", "writing 2 A.2 B.2 23", "accepted 24");
        assertThat(WriteHistory.read(logs).lostWrites("B.2")).isEmpty();
        assertThat(WriteHistory.read(logs).accepted()).isEqualTo(2);
    }

    @Test
    void findsAnUnansweredWriteThatLostAnother() throws IOException {
        log("claimed 1 10", "writing 1 - A.1 11");
        log("claimed 2 20", "writing 2 - B.1 21", "accepted 22");

        assertThat(WriteHistory.read(logs).lostWrites("A.1")).hasSize(1);
    }

    @Test
    void refusesALineThatItDoesNotKnow() throws IOException {
        log("wrote 1 10");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> WriteHistory.read(logs))
                .withMessageContaining("wrote");
    }

    private void log(String... lines) throws IOException {
        logs.add(Files.write(folder.resolve("log-" + logs.size()), List.of(lines)));
    }
}
