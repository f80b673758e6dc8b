package io.fenceline.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses, document ids and clock skew: what needs no store. */
class FirestoreAddressTest {

    @Test
    void namesAProjectAndPerhapsADatabase() {
        assertThat(FirestoreAddress.parse("firestore://my-project"))
                .isEqualTo(new FirestoreAddress("my-project", "(default)", Optional.empty(), Optional.empty()));
        assertThat(FirestoreAddress.parse("firestore://my-project/locks"))
                .isEqualTo(new FirestoreAddress("my-project", "locks", Optional.empty(), Optional.empty()));
        assertThat(FirestoreAddress.parse("firestore://p/?emulator=127.0.0.1:8080&prefix=other"))
                .isEqualTo(new FirestoreAddress(
                        "p",
                        "(default)",
                        Optional.of("127.0.0.1:8080"),
                        Optional.of(DocumentLayout.fenceline("other"))));
    }

    @Test
    void namesTheDocumentsOfSyncGuard() {
        assertThat(FirestoreAddress.parse("firestore://p?layout=syncguard").layout())
                .contains(DocumentLayout.syncGuard("locks", "fence_counters"));
        assertThat(FirestoreAddress.parse("firestore://p?layout=syncguard&locks=a&fences=b")
                        .layout())
                .contains(DocumentLayout.syncGuard("a", "b"));
        assertThat(FirestoreAddress.parse("firestore://p?layout=syncguard&locks=a%20%26+b&fences=caf%C3%A9")
                        .layout())
                .contains(DocumentLayout.syncGuard("a &+b", "caf\u00e9"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "layout=other",
                "locks=a",
                "fences=b",
                "layout=syncguard&prefix=a",
                "prefix=a&locks=b",
                "layout=syncguard&locks=a&fences=a",
                "layout=syncguard&locks=a%2Fb%2Fc"
            })
    void namesNoOtherDocuments(String parameters) {
        assertThatIllegalArgumentException().isThrownBy(() -> FirestoreAddress.parse("firestore://p?" + parameters));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "firestore:",
                "firestore://",
                "firestore:///database",
                "firestore://p/a/b",
                "firestore://p?emulator=localhost",
                "firestore://p?emulator=",
                "firestore://p?emulater=localhost:8080",
                "firestore://p?prefix=a/b",
                "firestore://p?prefix",
                "firestore://p?layout=syncguard&fences",
                "firestore://p?layout=syncguard&fences=a%zz",
                "firestore://user:secret@p"
            })
    void thatIsMalformedIsRefusedWithTheFix(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FirestoreAddress.parse(uri))
                .satisfies(refusal -> assertThat(refusal.getMessage())
                        .doesNotContain("secret")
                        .containsAnyOf("write", "written", "did you mean", "allowed"));
    }

    @Test
    void makesDocumentIdsThatFirestoreTakesAndThatReadLikeTheNames() {
        assertThat(DocumentId.of("invoice:42")).isEqualTo("invoice:42");
        assertThat(DocumentId.of("a/b")).isEqualTo("a~1b");
        assertThat(DocumentId.of("a~1b")).isEqualTo("a~01b");
        assertThat(List.of(DocumentId.of("."), DocumentId.of(".."), DocumentId.of("__x__")))
                .containsExactly("~2", "~2.", "~3_x__");
        assertThat(DocumentId.of("/".repeat(512)).getBytes(StandardCharsets.UTF_8).length)
                .isLessThanOrEqualTo(1500);
    }

    @Test
    void comparesClocksByTheMostExactAnswer() {
        long[] nanos = {0};
        ServerClock clock = new ServerClock(() -> nanos[0], () -> 1_000_000);
        measure(clock, nanos, 400, 1_005_200);
        assertThat(clock.skew()).contains(new ClockSkew(Duration.ofMillis(5_000), Duration.ofMillis(200)));

        measure(clock, nanos, 20, 1_005_010);
        measure(clock, nanos, 400, 1_009_000);

        assertThat(clock.skew()).contains(new ClockSkew(Duration.ofMillis(5_000), Duration.ofMillis(10)));
        assertThat(clock.skew().orElseThrow().exceeds(Duration.ofMillis(4_990))).isFalse();
        assertThat(clock.skew().orElseThrow().exceeds(Duration.ofMillis(4_989))).isTrue();
        assertThat(FirestoreDiagnosis.clock(clock.skew().orElseThrow()).remedy())
                .isNotEmpty();
    }

    private static void measure(ServerClock clock, long[] nanos, long tookMillis, long serverMillis) {
        ServerClock.Reading reading = clock.begin();
        nanos[0] += tookMillis * 1_000_000;
        reading.end(com.google.cloud.Timestamp.ofTimeSecondsAndNanos(
                serverMillis / 1_000, (int) (serverMillis % 1_000) * 1_000_000));
    }
}
