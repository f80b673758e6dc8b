package io.fenceline.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spellings of a path that some containers pass on, and Jetty refuses. */
@Tag("R10")
class RequestPathTest {

    @ParameterizedTest
    @ValueSource(strings = {"/orders/42", "orders/42", "//orders/42", "/orders///42", "/orders/42/", "/orders/42////"})
    void slashesInARowAreOneAndNoneIsAtTheEnd(String spelling) {
        assertThat(RequestPath.normalised(spelling)).isEqualTo("/orders/42");
    }
}
