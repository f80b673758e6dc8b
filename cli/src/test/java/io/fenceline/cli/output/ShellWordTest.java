package io.fenceline.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A word that a message shows, pasted into a shell. */
class ShellWordTest {

    @Test
    void isQuotedAsBriefAsPossible() {
        assertThat(ShellWord.of("order:42")).isEqualTo("'order:42'");
        assertThat(ShellWord.of("a\nb")).isEqualTo("$'a\\u000ab'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"order:42", "a b", "$HOME", "it's", "back\\slash", "k\n03999", "tab\tend", "-x", "é\u202e", ""})
    void isReadByTheShellAsItWas(String word) throws Exception {
        Process bash;
        try {
            bash = new ProcessBuilder("bash", "-c", "printf %s " + ShellWord.of(word)).start();
        } catch (java.io.IOException none) {
            Assumptions.abort("there is no bash");
            return;
        }
        String read = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(bash.waitFor()).isZero();
        Assumptions.assumeTrue(word.chars().allMatch(c -> c < 128) || read.equals(word), "bash runs in another locale");
        assertThat(read).isEqualTo(word);
    }
}
